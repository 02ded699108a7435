/*
 * `AGENTS.md` of the npm packages: one page for a program that writes the first integration. All of it is in the
 * documents of the repository, where it is tested.
 */

/** The texts that the page is made of, in Markdown. */
interface Sources {
  /** The package's name, and its README. */
  readonly name: string;
  readonly readme: string;
  readonly firstToken: string;
  readonly anyLanguage: string;
  readonly testkitReadme: string;
}

const notPublished =
  "The packages are not on the public registry yet. In a checkout of the repository, `npm ci && npm run build && npm pack --workspace sdk --workspace testkit` makes the files to install.";

/** The page of a package. */
export function agentsPage(from: Sources): string {
  const [, about = ""] = /^# [^\n]*\n\n(.*?)\n\n/s.exec(from.readme) ?? [];
  const install = [
    "npm install @queue-api/sdk",
    "npm install --save-dev @queue-api/testkit vitest msw",
  ];
  const sections = {
    Install: `\`\`\`sh\n${install.join("\n")}\n\`\`\`\n\n${notPublished}`,
    "First call": sectionOf(from.firstToken, "The same with the SDK"),
    "First test": sectionOf(from.testkitReadme, "The first test"),
    "Five mistakes": sectionOf(from.anyLanguage, "Five mistakes"),
    More: "A running service has the whole reference as Markdown: `/llms.txt` lists its pages, `/llms-full.txt` has all of them. `queue-api serve --demo` of `@queue-api/server` starts one with a clinic, and prints a key.",
  };
  const parts = Object.entries(sections).map(([title, text]) => `## ${title}\n\n${text}`);
  return `# ${from.name}\n\n${about}\n\n${parts.join("\n\n")}\n`.replaceAll(
    /\[([^\]]+)\]\((?!https?:)[^)]*\)/g,
    "$1",
  );
}

/** The text below a heading of the second level, up to the next heading. */
function sectionOf(markdown: string, heading: string): string {
  const [, text] =
    new RegExp(`^## ${heading}\\n\\n(.*?)\\n*(?=^##|$(?![^]))`, "ms").exec(markdown) ?? [];
  if (!text) throw new Error(`no section "${heading}"`);
  return text;
}

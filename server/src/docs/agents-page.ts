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

/** The page of a package. */
export function agentsPage(from: Sources): string {
  const [, about = ""] = /^# [^\n]*\n\n(.*?)\n\n/s.exec(from.readme) ?? [];
  // The first call and the first test need the SDK and the test kit.
  const own = ["@queue-api/sdk", "@queue-api/testkit"].includes(from.name) ? [] : [from.name];
  const install = [
    `npm install ${[...own, "@queue-api/sdk"].join(" ")}`,
    "npm install --save-dev @queue-api/testkit vitest msw",
  ];
  const sections = {
    Install: `\`\`\`sh\n${install.join("\n")}\n\`\`\`\n\n${notPublished(own)}`,
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

/** How to get the packages for now. Of those in `own`, the server needs the contract; the other two contain it. */
function notPublished(own: readonly string[]): string {
  const folders = ["sdk", "testkit", ...own.map((name) => name.replace("@queue-api/", ""))];
  if (folders.includes("server")) folders.push("contract");
  const packed = folders.map((folder) => ` --workspace ${folder}`).join("");
  return `The packages are not on the public registry yet. In a checkout of the repository, \`npm ci && npm run build && npm pack${packed}\` makes the files to install.`;
}

/** The text below a heading of the second level, up to the next heading. */
function sectionOf(markdown: string, heading: string): string {
  const [, text] =
    new RegExp(`^## ${heading}\\n\\n(.*?)\\n*(?=^##|$(?![^]))`, "ms").exec(markdown) ?? [];
  if (!text) throw new Error(`no section "${heading}"`);
  return text;
}

/*
 * `AGENTS.md` of the npm packages: one page for a program that writes the first integration. All of it is in the
 * documents of the repository, where it is tested.
 */

/** The page of the package in a folder. `source` reads a file of the repository. */
export function agentsPage(folder: string, source: (path: string) => string): string {
  const [, about = ""] = /^# [^\n]*\n\n(.*?)\n\n/s.exec(source(`${folder}/README.md`)) ?? [];
  // The first call and the first test need the SDK and the test kit.
  const own = ["sdk", "testkit"].includes(folder) ? [] : [folder];
  const installed = [...own, "sdk"].map((name) => `@queue-api/${name}`);
  const install = [
    `npm install ${installed.join(" ")}`,
    "npm install --save-dev @queue-api/testkit vitest msw",
  ];
  const sections = {
    Install: `\`\`\`sh\n${install.join("\n")}\n\`\`\`\n\n${notPublished(own)}`,
    "First call": sectionOf(source("docs/first-token.md"), "The same with the SDK"),
    "First test": sectionOf(source("testkit/README.md"), "The first test"),
    "Five mistakes": sectionOf(source("docs/any-language.md"), "Five mistakes"),
    More: "A running service has the whole reference as Markdown: `/llms.txt` lists its pages, `/llms-full.txt` has all of them. `queue-api serve --demo` of `@queue-api/server` starts one with a clinic, and prints a key.",
  };
  const parts = Object.entries(sections).map(([title, text]) => `## ${title}\n\n${text}`);
  return `# @queue-api/${folder}\n\n${about}\n\n${parts.join("\n\n")}\n`.replaceAll(
    /\[([^\]]+)\]\((?!https?:)[^)]*\)/g,
    "$1",
  );
}

/** How to get the packages for now. Of those in `own`, the server needs the contract; the other two contain it. */
function notPublished(own: readonly string[]): string {
  const folders = ["sdk", "testkit", ...own];
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

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
} from "@microsoft/api-extractor";

/**
 * The types that a package shows, a report by the name of each of its entry points: everything exported, but not what
 * those types refer to. Made from the built declarations in the package's folder.
 */
export async function typeReports(projectFolder, entryPoints) {
  const written = await mkdtemp(join(tmpdir(), "queue-api-types-"));
  try {
    const configs = entryPoints.map(({ types, name }) =>
      configOf(projectFolder, types, name, written),
    );
    const [first, ...others] = configs;
    if (!first) return new Map();
    const additionalEntryPoints = others.map((config) => config.mainEntryPointFilePath);
    const compilerState = CompilerState.create(first, { additionalEntryPoints });
    for (const config of configs) extract(config, compilerState);
    return new Map(
      await Promise.all(
        entryPoints.map(async ({ name }) => {
          const report = await readFile(join(written, `${name}.api.md`), "utf8");
          return [name, report.replaceAll("\r\n", "\n")];
        }),
      ),
    );
  } finally {
    await rm(written, { recursive: true });
  }
}

function configOf(projectFolder, types, name, reportFolder) {
  const mainEntryPointFilePath = join(projectFolder, types);
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, "package.json"),
    configObject: {
      projectFolder,
      mainEntryPointFilePath,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: "nodenext",
            moduleResolution: "nodenext",
            target: "es2023",
            lib: ["es2023", "es2024.string"],
            types: ["node"],
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: true,
          },
          files: [mainEntryPointFilePath],
        },
      },
      apiReport: {
        enabled: true,
        includeForgottenExports: false,
        reportFileName: `${name}.api.md`,
        reportFolder,
        reportTempFolder: join(reportFolder, "temp"),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      // Whether a comment pleases TSDoc is no part of what is published.
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
  });
}

function extract(config, compilerState) {
  const complaints = [];
  Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      const isOurs = message.category !== "console";
      if (isOurs && message.logLevel !== "none") complaints.push(message.text);
      message.handled = true;
    },
  });
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
}

import { packageFaults } from "./package-faults.js";
import { publishDryRun } from "./publish-dry-run.js";
import { manifestOf, published } from "./workspace.js";

/** `npm run release:check`: reports what a release would publish and what is wrong with it. Publishes nothing. */
for (const folder of published) {
  const manifest = await manifestOf(folder);
  const { files, warnings } = await publishDryRun(folder, { ignoreScripts: false });
  const faults = [...packageFaults(manifest, files), ...warnings];
  console.log(`${manifest.name} ${manifest.version}: ${files.length} files`);
  for (const fault of faults) console.error(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

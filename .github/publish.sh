#!/usr/bin/env bash
# Publishes the packages, each after those it depends on. Provenance wants each to name its repository, which is known
# for certain only where the workflow runs.
set -euo pipefail
grep -q "^  \"version\": \"${GITHUB_REF_NAME#v}\"" sdk/package.json || { echo "the tag is not the version of the packages"; exit 1; }
repository="git+${GITHUB_SERVER_URL:?}/${GITHUB_REPOSITORY:?}.git"
for package in contract sdk testkit server; do
  npm pkg set --workspace "$package" \
    repository.type=git "repository.url=$repository" "repository.directory=$package"
  npm publish --workspace "$package"
done

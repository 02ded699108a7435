#!/usr/bin/env bash
# Publishes what is not published yet. Provenance wants each package to name its repository, which is known
# for certain only where the workflow runs.
set -euo pipefail
repository="git+${GITHUB_SERVER_URL:?}/${GITHUB_REPOSITORY:?}.git"
for package in contract sdk testkit server; do
  npm pkg set --workspace "$package" \
    repository.type=git "repository.url=$repository" "repository.directory=$package"
done
npx changeset publish

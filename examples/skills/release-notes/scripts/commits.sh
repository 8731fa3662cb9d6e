#!/bin/sh
# Prints the commits since the last tag, or all of them where there is no tag.
set -eu
last=$(git describe --tags --abbrev=0 2>/dev/null || true)
git log --no-merges --format='%h %s' ${last:+"$last"..HEAD}

#!/bin/sh
# One night: installs the program if it is not there, harvests what changed, builds and verifies a release, and writes the
# site into the folder public. Both workflows call it, and you can call it yourself. A night that was interrupted is
# continued by the next one.
set -eu
cd "$(dirname "$0")"

# To use another version, write its commit or tag. The workflows install it in the next night.
repository={{repository}}
version={{version}}
site={{url}}

if [ ! -x program/node_modules/.bin/share-release ]; then
  rm -rf program
  git init --quiet program
  git -C program fetch --quiet --depth 1 "$repository" "$version"
  git -C program checkout --quiet FETCH_HEAD
  make -C program install
fi
export PATH="$PWD/program/node_modules/.bin:$PATH" SHARE_CONFIG="$PWD/settings.toml"

mkdir -p store
# A job of GitHub ends after six hours. A harvest stops before, and the next night continues it.
code=0
share-release run --max-minutes 240 --exclude-researchers hidden.txt || code=$?
case $code in
  0) ;;
  3) echo "Some records were rejected. The log above names each." ;;
  10) echo "A harvest failed. The site has what was harvested before, and the next night continues." ;;
  *) exit "$code" ;;
esac

share-release release publish --to public --site "$site" --exclude-researchers hidden.txt
share-release release prune --keep 5
[ "$code" -ne 10 ] || exit "$code"

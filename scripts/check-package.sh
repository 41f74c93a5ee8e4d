#!/usr/bin/env bash
# Builds the Debian packages of contrib/debian, installs them, uses them, and takes them away again.
#   scripts/check-package.sh [PACKAGE-DIRECTORY]   keep the packages there
# Installing needs root, and the right to mount: it happens on a layer above /usr, /etc and /var that only this script's
# processes see, so that the machine stays as it is. Ends with "N passed, M failed". Builds once, without the tests: minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

for package in build-essential debhelper fakeroot lintian; do
  dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing="${missing:-} $package"
done
[[ -z ${missing:-} ]] || {
  echo "Some packages are missing: apt-get install --no-install-recommends$missing" >&2
  exit 1
}

work=$(mktemp -d -p /tmp)
trap 'rm -rf "$work"' EXIT
. scripts/checks.sh

# Sources as a clone has them: nothing that was built.
copy_sources() {
  mkdir "$work/cerar" &&
    git ls-files -z | xargs -0 cp --parents -t "$work/cerar" &&
    cp -r contrib/debian "$work/cerar/debian"
}

build_packages() {
  (cd "$work/cerar" && nice dpkg-buildpackage -us -uc -b -j"$(nproc)")
}

# Errors and warnings, but: nobody has been asked to package it (initial-upload-closes-no-bugs).
lint_packages() {
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$work"/*.changes
}

step "dpkg-buildpackage -us -uc -b" eval 'copy_sources && build_packages'
check "lintian" lint_packages
[[ -z ${1:-} ]] || cp "$work"/*.deb "$1"

if ((EUID == 0)); then
  mkdir "$work/layer"
  check "installed, used, purged" unshare --mount scripts/use-package.sh "$work/layer" "$work"/*.deb
else
  echo "not root: the packages were not installed"
fi
finish

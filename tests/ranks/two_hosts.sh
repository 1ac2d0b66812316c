#!/usr/bin/env bash
# two_hosts.sh THINWIRE MPIRUN: a solve by two hosts: two network namespaces of this machine, each with a
# name of its own, that see each other by a pair of virtual network devices alone. mpirun in one starts
# the other's ranks by an agent in ssh's place. Needs root; says SKIPPED where that is missing.
# Where there is a GPU, both hosts use it too; with NCCL_MULTI_RANK_GPU_ENABLE=1 by NCCL (2.31 or later).
set -euo pipefail
program=$(realpath "$1") mpirun=$2
export NCCL_SOCKET_IFNAME=tw OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
here=thinwire_$$a there=thinwire_$$b
if ! command -v ip >/dev/null || ! ip netns add "$here" 2>/dev/null; then
  echo "SKIPPED: network namespaces need iproute2 and root"
  exit 0
fi
folder=$(mktemp -d)
cleanup() {
  ip netns del "$here" || true
  ip netns del "$there" 2>/dev/null || true
  rm -r "$folder"
}
trap cleanup EXIT
ip netns add "$there"
if ! ip link add tw$$a netns "$here" type veth peer name tw$$b netns "$there" 2>/dev/null; then
  echo "SKIPPED: this machine makes no virtual network devices (veth)"
  exit 0
fi
ip -n "$here" address add 10.77.0.1/24 dev tw$$a
ip -n "$there" address add 10.77.0.2/24 dev tw$$b
for side in "$here tw$$a" "$there tw$$b"; do
  read -r name device <<<"$side"
  ip -n "$name" link set lo up
  ip -n "$name" link set "$device" up
done
cat >"$folder/agent" <<AGENT
#!/usr/bin/env bash
# agent HOST COMMAND...: in ssh's place.
shift
exec ip netns exec $there unshare --uts bash -c "hostname there; export NCCL_HOSTID=there; \$*"
AGENT
chmod +x "$folder/agent"
cd "$folder"
cat >d.nec <<'DECK'
CE many frequencies
GW 1 101 0 0 -2 0 0 2 0.001
GE 0
EX 0 1 51 0 1 0
FR 0 40 0 0 100 5
XQ
EN
DECK
together() {
  timeout 120 ip netns exec "$here" unshare --uts bash -c \
    'hostname here; export NCCL_HOSTID=here; exec "$@"' - \
    "$mpirun" --mca plm rsh --oversubscribe --bind-to none -n 4 -H 10.77.0.1:2,10.77.0.2:2 \
    --mca plm_rsh_agent "$folder/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 -x OMP_NUM_THREADS "$@"
}
echo "hosts: $(together hostname | sort | uniq -c | tr '\n' ' ')"
[[ $(together hostname | sort -u | tr '\n' ' ') == 'here there ' ]]
"$program" solve d.nec --quiet -o none --csv alone.csv
for split in frequency none; do
  together "$program" solve d.nec --quiet -o none --csv both.csv --force --split $split
  cmp alone.csv both.csv
done
# One matrix on the GPUs of both hosts.
cat >array.nec <<'DECK'
CE a hundred dipoles
GW 1 21 0 0 -.25 0 0 .25 .001
GM 0 9 0 0 0 .6 0 0
GM 0 9 0 0 0 0 .6 0
GE 0
EX 0 1 11 0 1 0
FR 0 1 0 0 299.792458 0
XQ
EN
DECK
array=(solve array.nec --mesh as-given --operator dense --tolerance 1e-10 -o none --json --device cuda)
if "$program" "${array[@]}" >alone.json 2>alone.log; then
  for solver in direct cocg; do
    together "$program" "${array[@]}" --solver $solver --split none >both.json 2>both.log ||
      { cat both.log && false; }
    python3 - <<'PYTHON'
import json
alone, both = (json.load(open(name)) for name in ("alone.json", "both.json"))
z, want = (complex(*run["frequencies"][0]["ports"][0]["impedance_ohm"]) for run in (both, alone))
print(f"{both['device']}: {both['unknowns']} unknowns, {both['timings_s']}, {both['warnings']}")
assert abs(z - want) <= 1e-8 * abs(want), (z, want)
PYTHON
  done
else
  echo "no GPU: $(tail -1 alone.log)"
fi
# A rank of the other host that is killed ends all.
together "$program" solve d.nec --quiet -o none --split none --refine 16 &
waiting=$!
for ((i = 0; i < 200; ++i)); do
  ranks=$(ip netns pids "$there" | while read -r id; do
    [[ $(readlink "/proc/$id/exe") == "$program" ]] && echo "$id"
  done || true)
  [[ -n $ranks ]] && break
  sleep 0.05
done
sleep 1
kill -9 "$(head -1 <<<"$ranks")"
if wait "$waiting"; then
  echo "error: mpirun does not tell of the rank that was killed"
  exit 1
fi
sleep 1
[[ -z $(ip netns pids "$there") ]]
echo "two hosts solve as one process does, and end together"

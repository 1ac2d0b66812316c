#!/bin/sh
# reproduce.sh PROGRAM [OPTIONS of `thinwire bench sparse`]: the tables of the sparse
# papers on the machine that is here, as pages and CSV in the current folder.
set -e
program=$1
shift
# Ohshima 2011: the matrices of table 2, every way of dealing out rows, segmented scans.
"$program" bench sparse --html scan.html --csv scan.csv \
  --matrix band1 band3 band101 rand1 rand100 band1x hcircuit-like dc2-like \
  --format csr crs-vector rows-blocks rows-cyclic in-row-bb in-row-bc in-row-cb in-row-cc \
  segmented-scan segmented-scan-4 segmented-scan-32 segmented-scan-64 segmented-scan-256 "$@"
# Mukunoki and Takahashi 2013: the ladder of row lengths, each NT, versions 0 to 4.
"$program" bench sparse --html crs_vector.html --csv crs_vector.csv \
  --matrix ladder1 ladder2 ladder4 ladder8 ladder16 ladder16-geometric ladder16-uneven ladder32 ladder64 \
  ladder128 ladder256 ladder512 \
  --format csr crs-vector crs-vector-1 crs-vector-2 crs-vector-4 crs-vector-8 crs-vector-16 \
  crs-vector-32 crs-vector-v0 crs-vector-v1 crs-vector-v2 crs-vector-v3 "$@"
# Kawamura et al. 2020: bytes, products and GMRES with and without row block packing.
"$program" bench sparse --html packing.html --csv packing.csv --gmres 100 \
  --matrix hexahedra laplace7 plate \
  --format csr ell ell-r rbp-csr rbp-ell rbp-ell-r rbp-csr-auto rbp-ell-auto runs "$@"
# The near fields of wire antennas, complex: what becomes of all that here.
"$program" bench sparse --html near_fields.html --csv near_fields.csv --type z \
  --matrix plate plate-wide ship array "$@"
# Ohshima et al. 2011: assembly by its five versions and by rows, shared out, and the
# solver after it.
"$program" bench sparse --assembly --html assembly.html --csv assembly.csv "$@"

"""usage: open_result.py RESULT.h5...: opens results with xarray, by the engines h5netcdf and
netCDF4, and finds there what h5py finds, along named dimensions."""
import sys
import warnings

import h5py
import numpy as np
import xarray


def datasets(path):
    """Name and h5py's values of every dataset."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def as_complex(values):
    """netCDF4 gives pairs r, i unless it is asked for complex numbers."""
    return values["r"] + 1j * values["i"] if values.dtype.names == ("r", "i") else values


def check_group(path, engine, group, expected):
    with xarray.open_dataset(path, group=group or "/", engine=engine) as data:
        assert set(data.variables) == set(expected), (engine, group, set(expected))
        for name, values in expected.items():
            variable = data[name]
            assert not any("phony" in dim for dim in variable.dims), (group, name)
            assert len(set(variable.dims)) == len(variable.dims), (group, name)
            assert variable.attrs["units"], (group, name)
            assert variable.shape == np.shape(values), (group, name)
            if np.asarray(values).dtype.kind in "fci":
                np.testing.assert_array_equal(as_complex(variable.values), values, name)


def check_tree(path, engine, groups):
    options = {"auto_complex": True} if engine == "netcdf4" else {}
    with xarray.open_datatree(path, engine=engine, **options) as tree:
        assert groups <= {node.path.strip("/") for node in tree.subtree}
        assert tree["port/impedance_ohm"].dims == ("frequency_hz", "port_number")
        assert tree["port/impedance_ohm"].dtype == complex
        assert list(tree["mesh/start_m"].coords["xyz"].values) == ["x", "y", "z"]


def main():
    warnings.simplefilter("error", UserWarning)  # of dimensions without a name, or twice
    for path in sys.argv[1:]:
        by_group = {"": {}}
        for name, values in datasets(path).items():
            group, _, leaf = name.rpartition("/")
            by_group.setdefault(group, {})[leaf] = values
        for engine in ("h5netcdf", "netcdf4"):
            for group, expected in by_group.items():
                check_group(path, engine, group, expected)
            if hasattr(xarray, "open_datatree"):
                check_tree(path, engine, set(by_group))


if __name__ == "__main__":
    main()

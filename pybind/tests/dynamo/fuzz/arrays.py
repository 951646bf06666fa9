"""NumPy: arrays in and out, shared with tensors, and NumPy's functions."""

from __future__ import annotations

from typing import Any

from pybind.tests.dynamo.fuzz.rows import Row, Theme


def array(namespace: dict[str, Any], t: Any, number: int, variant: int) -> Any:
    """An array as an argument."""
    return t.detach().numpy()


ARRAYS = Theme(
    kinds={"array": 1.5},
    literals={"array": "np.⟨ones zeros⟩($shape)"},
    arguments={"array": array},
    definitions="""\
def normalised(a):
    return (a - a.mean()) / (np.abs(a).max() + 1)
""",
    expressions={
        "array": (
            Row("array of tensor", 3, "$same.detach().numpy()"),
            Row("array arithmetic", 3, "($array ⟨+ - *⟩ ⟨$array 2 $float⟩)"),
            Row("array reflected", 0.7, "(⟨$int $float⟩ ⟨+ - *⟩ $array)"),
            Row("array functions", 2, "np.⟨sin cos tanh abs square negative exp sign floor⟩($array)"),
            Row("array binary", 1, "np.⟨add maximum minimum multiply subtract⟩($array, ⟨$array 1.5⟩)"),
            Row("array where", 0.6, "np.where($array > ⟨0 0.5⟩, $array, ⟨0.0 $array⟩)"),
            Row("array clip", 0.5, "np.clip($array, -1, ⟨1 2.5⟩)"),
            Row("array copy", 0.5, "⟨@array.copy() np.array(@array) np.asarray(@array) np.copy(@array)⟩"),
            Row("array view", 0.5, "@array⟨[...] [:] .reshape(@array.shape) .view()⟩"),
            Row("array type", 0.5, "$array.astype(np.⟨float32 float64⟩)"),
            Row("array like", 0.5, "np.⟨zeros_like ones_like⟩($array)"),
            Row("array of helper", 0.5, "normalised($array)"),
            Row("array cumsum", 0.3, "np.cumsum($array, axis=-1)"),
        ),
        "tensor": (
            Row("tensor of array", 2, "torch.from_numpy($array)"),
            Row("tensor of array copied", 1, "torch.⟨tensor as_tensor⟩($array)"),
            # A sum that is nearly zero would make roundings large where somebody divides by the product.
            Row("tensor with array sum", 0.4, "($same * (float($array.sum()) + 2))"),
        ),
        "float": (Row("float of array", 1, "float($array.⟨sum() mean() max() min() std()⟩)"),),
        "int": (
            Row("array size", 0.7, "@array.⟨ndim size⟩"),
            Row("length of array", 0.4, "len(@array)"),
            Row("array argmax", 0.4, "int($array.⟨argmax() argmin()⟩)"),
            Row("array counted", 0.3, "int((@array > 0).sum())"),
        ),
        "bool": (
            Row("array any", 0.5, "bool((@array ⟨> ==⟩ $int).⟨any() all()⟩)"),
            Row("same array", 0.5, "(@array is @array)"),
            Row("array isinstance", 0.4, "isinstance(⟨@array @any⟩, np.ndarray)"),
            Row("array type is", 0.3, "(@array.dtype == np.⟨float32 float64⟩)"),
        ),
        "str": (
            Row("array type text", 0.4, "str(@array.dtype)"),
            Row("array shape text", 0.4, "str(@array.shape)"),
        ),
        "ints": (Row("array to list", 0.4, "np.⟨arange($positive) array($ints)⟩.tolist()"),),
    },
    statements=(
        Row("array store", 0.6, "@array[⟨... 0 -1⟩] = $float"),
        Row(
            "array in place",
            0.6,
            """\
§a = @array
§a ⟨+= *=⟩ 2""",
        ),
        Row(
            "array shared",
            0.6,
            """\
§t = torch.from_numpy(@array)
§t.⟨add_(1) mul_(2)⟩
print(round(float(@array.sum()), 2))""",
        ),
        Row(
            "tensor shared",
            0.6,
            """\
§t = $any.detach().clone()
§a = §t.numpy()
§t.add_(1)
print(round(float(§a.sum()), 2), round(float(§t.sum()), 2))""",
        ),
        Row("array printed", 0.3, "print(@array)"),
        Row("for array", 0.3, "for §i in @array[:2]:\n    print(§i)"),
    ),
)

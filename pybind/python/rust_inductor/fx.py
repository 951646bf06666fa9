"""FX graphs in Rust: read, print, store and hand back what ``torch.fx`` works on.

>>> graph = symbolic_trace(module)
>>> print(graph)
>>> graph.print_tabular()
>>> print(graph.python_code().src)
>>> torch_module = graph.to_torch(module)
"""

from rust_inductor._native import fx as _fx

Graph = _fx.Graph
Node = _fx.Node
Proxy = _fx.Proxy
PythonCode = _fx.PythonCode
symbolic_trace = _fx.symbolic_trace

__all__ = ["Graph", "Node", "Proxy", "PythonCode", "symbolic_trace"]

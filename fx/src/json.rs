//! Graphs as JSON.
//!
//! The form is versioned and stable: `{"version":1,"nodes":[…],"exprs":…}`. Nodes stand in program order, and a node
//! in an argument is the place of its row in that list, so erased nodes leave no trace. Subgraphs stand under
//! `"subgraphs"`, each with the place of the row that fetches it. Reading checks what [`crate::verify`] checks.
//! Floats that JSON cannot write (`inf`, `-inf`, `nan`) are strings.

use crate::graph::{Graph, Node, NodeId};
use crate::verify::{self, Invalid};
use cranelift_entity::EntityRef;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use symshapes::Pool;

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// The reason why a JSON text is not a graph.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not the JSON form.
    #[error(transparent)]
    Form(#[from] FormError),
    /// Two nodes have one name.
    #[error("two nodes are named `{0}`")]
    Name(String),
    /// An argument names a row that does not exist.
    #[error("%{0} uses node {1}, which does not exist")]
    Dangling(String, usize),
    /// The expressions name rows that there are not.
    #[error("the expressions are damaged")]
    Exprs,
    /// The graph breaks an invariant.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// The reason why a text is not of a versioned JSON form.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// Not JSON, or not of the form.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Another version of the form.
    #[error("version {found} of the JSON form; this library reads version {known}")]
    Version {
        /// The text's version.
        found: u32,
        /// The version that is read.
        known: u32,
    },
}

/// Reads a form whose text states its version, if that is this one: `{"version":1,…}`.
///
/// # Errors
/// A text that is not of the form, or of another version.
pub fn versioned<T: DeserializeOwned>(text: &str, known: u32) -> Result<T, FormError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version: found } = serde_json::from_str(text)?;
    if found == known { Ok(serde_json::from_str(text)?) } else { Err(FormError::Version { found, known }) }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    nodes: Vec<Node>,
    exprs: Pool,
    #[serde(default)]
    subgraphs: Vec<(usize, Stored)>,
}

impl Stored {
    fn of(graph: &Graph) -> Stored {
        let mut graph = graph.clone();
        graph.renumber();
        let subgraphs = graph.nodes().enumerate();
        let subgraphs = subgraphs.filter_map(|(i, n)| Some((i, Stored::of(graph.subgraph(n)?)))).collect();
        let nodes = graph.nodes().map(|n| graph[n].clone()).collect();
        Stored { version: VERSION, nodes, exprs: graph.exprs, subgraphs }
    }

    fn graph(self) -> Result<Graph, Error> {
        if self.version != VERSION {
            return Err(FormError::Version { found: self.version, known: VERSION }.into());
        }
        if !self.exprs.is_closed() {
            return Err(Error::Exprs);
        }
        let rows = self.nodes.len();
        let mut graph = Graph::new();
        graph.exprs = self.exprs;
        for node in self.nodes {
            if let Some(n) = node.inputs().into_iter().find(|n| n.index() >= rows) {
                return Err(Error::Dangling(node.name.to_string(), n.index()));
            }
            let name = node.name.clone();
            graph.push_named(node).ok_or(Error::Name(name.to_string()))?;
        }
        for (fetch, subgraph) in self.subgraphs {
            if fetch >= rows {
                return Err(Error::Dangling("a subgraph".to_owned(), fetch));
            }
            graph.set_subgraph(NodeId::new(fetch), subgraph.graph()?);
        }
        verify::verify(&graph)?;
        Ok(graph)
    }
}

impl Graph {
    /// The graph as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a graph has only string keys and floats are written as JSON can")
    }

    /// Reads what [`Graph::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Graph, Error> {
        versioned::<Stored>(text, VERSION)?.graph()
    }
}

impl Serialize for Graph {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored::of(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Graph {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Graph, D::Error> {
        Stored::deserialize(deserializer)?.graph().map_err(serde::de::Error::custom)
    }
}

/// A float that may be infinite or NaN.
pub(crate) mod float {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Number(f64),
        Name(String),
    }

    pub(crate) fn serialize<S: Serializer>(v: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if v.is_finite() { serializer.serialize_f64(*v) } else { serializer.collect_str(&v) }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Number(v) => Ok(v),
            Form::Name(name) => name.parse().map_err(D::Error::custom),
        }
    }
}

//! Our prints of graphs against those of `torch.fx`: see `graph_golden/generate.py`.

use fx::Graph;

fn check(golden: &str) {
    let sections: Vec<&str> = golden.split("\n=====\n").collect();
    let [text, listing, code, table] = sections[..] else { panic!("a golden file has four sections") };
    let graph: Graph = text.parse().expect("golden text parses");
    // The generator ends the text with a line end, which the separator's own hides.
    assert_eq!(graph.to_text().trim_end(), text.trim_end());
    assert_eq!(graph.to_string(), listing);
    assert_eq!(graph.python_code("self").src, code);
    assert_eq!(graph.tabular(), table);
    let again = Graph::from_json(&graph.to_json()).expect("our JSON reads back");
    assert_eq!(again.to_text(), graph.to_text());
    assert_eq!(again.to_json(), graph.to_json());
}

/// Declares a test for each golden file.
macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(include_str!(concat!("graph_golden/", stringify!($name), ".txt")));
        })*
    };
}

golden! { annotated doc nested slices operators chain overloads }

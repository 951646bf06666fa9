//! Values of heuristics replaced, for measurements; and the book's page of them, which `./x bless` rewrites.

#[cfg(feature = "sweep")]
use inductor::heuristics::sweep;

/// Every row's name and value, by the crate that has it.
#[cfg(feature = "sweep")]
#[pyo3::pyfunction]
pub(crate) fn heuristics() -> Vec<(&'static str, f64)> {
    let rows = inductor::heuristics::ROWS.iter().chain(inductor_cpu::heuristics::ROWS);
    rows.map(|row| (row.name, row.value)).collect()
}

/// Replaces the value of one row in the whole process, or that of none.
#[cfg(feature = "sweep")]
#[pyo3::pyfunction]
#[pyo3(signature = (name=None, value=0.0))]
pub(crate) fn replace_heuristic(name: Option<String>, value: f64) {
    sweep::replace(name.map(|name| (name, value)));
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use inductor::heuristics::Row;
    use serde_json::Value;
    use std::fmt::Write;

    const INTRODUCTION: &str = "\
# Heuristics

The thresholds that decide whether a transformation pays, a row each. No row changes what is computed, but for \
the order in which sums are rounded. This page is \
generated from `inductor/src/heuristics.rs`, `inductor-cpu/src/heuristics.rs` and `bench/heuristics.json`; `./x bless` \
rewrites it, and a test fails where it is stale.

The last two columns come from `./x bench heuristics`: each program is timed with the value and, in turn, with a quarter \
and with four times of it. `3 slower, 1 faster of 182; softmax 1.12` says how many programs change by more than the \
noise, and which one changes most, as a ratio of times: above 1, it is slower with the other value. `—` says that no program \
changes. A row in italics was not timed, since it is about something else than the times of these programs.
";

    /// The cell of what was measured with a multiple of a value.
    fn cell(found: &Value, programs: &Value) -> String {
        let count = |what: &str| found[what].as_u64().unwrap_or(0);
        if found.is_null() {
            return String::new();
        }
        match (count("slower"), count("faster")) {
            (0, 0) => "—".to_owned(),
            (slower, faster) => {
                let worst = found["most"][0].as_str().unwrap_or_default();
                format!(
                    "{slower} slower, {faster} faster of {programs}; {worst} {:.2}",
                    found["most"][1].as_f64().unwrap_or(0.0)
                )
            }
        }
    }

    /// A value as a person writes it.
    fn plain(value: f64) -> String {
        match value {
            _ if value >= 4096.0 && value % 1024.0 == 0.0 => {
                let kibi = value / 1024.0;
                if kibi >= 1024.0 && kibi % 1024.0 == 0.0 {
                    format!("{} Mi", kibi / 1024.0)
                } else {
                    format!("{kibi} Ki")
                }
            }
            _ => value.to_string(),
        }
    }

    fn table(page: &mut String, title: &str, rows: &[Row], measured: &Value) {
        let _ = write!(
            page,
            "\n## {title}\n\n| Row | Value | Unit | What it decides | × ¼ | × 4 |\n|---|---|---|---|---|---|\n"
        );
        for row in rows {
            let found = &measured["rows"][row.name];
            let [quarter, fourfold] = ["quarter", "fourfold"].map(|which| match found["not_timed"].as_str() {
                Some(reason) => format!("*{reason}*"),
                None => cell(&found[which], &found["programs"]),
            });
            let (name, value, unit, says) = (row.name, plain(row.value), row.unit, row.says.trim());
            let _ = writeln!(page, "| `{name}` | {value} | {unit} | {says} | {quarter} | {fourfold} |");
        }
    }

    #[test]
    fn the_page_is_what_the_rows_say() {
        let measured: Value = serde_json::from_str(include_str!("../../bench/heuristics.json")).expect("valid JSON");
        let every = || inductor::heuristics::ROWS.iter().chain(inductor_cpu::heuristics::ROWS);
        for name in measured["rows"].as_object().expect("an object").keys() {
            assert!(every().any(|row| row.name == name), "`{name}` was measured and is no row");
        }
        let mut page = INTRODUCTION.to_owned();
        let text = |key: &str| measured[key].as_str().unwrap_or_default();
        let _ = writeln!(page, "\nMeasured on {}.", text("machine"));
        table(&mut page, "The middle (`inductor`)", inductor::heuristics::ROWS, &measured);
        table(&mut page, "The CPU (`inductor-cpu`)", inductor_cpu::heuristics::ROWS, &measured);
        expect_file!["../../book/src/heuristics.md"].assert_eq(&page);
    }
}

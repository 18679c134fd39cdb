//! A table for a person or a machine.

use crate::report::paint::{Look, Paint};
use serde_json::{Map, Value};

/// A table.
pub struct Table {
    /// What it shows, and how that is used.
    pub title: &'static str,
    /// Names of its columns.
    pub columns: &'static [&'static str],
    /// Its rows, each as long as the columns.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// As an array of objects.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<String>| {
            let fields = self.columns.iter().zip(row).map(|(column, cell)| ((*column).into(), Value::String(cell.clone())));
            Value::Object(fields.collect::<Map<String, Value>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// As text: short cells in columns, long ones below, so that it fits.
    pub fn render(&self, look: Look) -> String {
        let short: Vec<usize> =
            (0..self.columns.len()).filter(|i| *i == 0 || self.width(*i) <= 24 && self.columns[*i] != "about").collect();
        let mut out = look.paint(Paint::Bold, self.title) + "\n\n";
        let head: String = short.iter().map(|i| format!("{:1$}  ", self.columns[*i].replace('_', " "), self.width(*i))).collect();
        if short.len() > 1 {
            out.push_str(&format!("  {}\n", look.paint(Paint::Dim, head.trim_end())));
        }
        for row in &self.rows {
            let cells: String = short.iter().map(|i| format!("{:1$}  ", look.prose(&row[*i]), self.width(*i))).collect();
            let (name, rest) = cells.split_at(row[0].len());
            out.push_str(&format!("  {}{}\n", look.paint(Paint::Bold, name), rest.trim_end()));
            for i in (0..self.columns.len()).filter(|i| !short.contains(i) && !row[*i].is_empty()) {
                let label = if matches!(self.columns[i], "about") { String::new() } else { format!("{}: ", self.columns[i]) };
                out.push_str(&format!("      {}\n", look.paint(Paint::Dim, &look.wrap(&format!("{label}{}", row[i]), 6))));
            }
        }
        out
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].chars().count());
        cells.chain([self.columns[column].len()]).max().unwrap_or(0)
    }
}

// Package report renders benchmark runs: one self-contained HTML file without
// scripts or network access, a Markdown summary for a pull request, benchfmt
// text for benchstat, criterion's and bencher's lines, and CSV of raw samples.
//
// Every chart is an inline SVG followed by a table of its figures. Output is a
// pure function of the runs: equal runs give equal bytes.
package report

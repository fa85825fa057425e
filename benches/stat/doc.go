// Package stat holds the estimators behind the benchmark reports: location and
// spread with bootstrap intervals, regression through the origin, outlier
// classes, kernel densities, and tests that compare two sets of measurements.
//
// It follows criterion.rs where that is known to its users (percentile
// bootstrap, Tukey fences, a bootstrapped t test) and differs in three places:
// percentile intervals are widened for small samples, so that a 95 % interval
// of a mean covers about 95 % at 10 measurements too (intervals of standard
// deviation and MAD do from about 100 on); interleaved measurements are
// compared in pairs; and p-values of a whole suite are corrected by Holm.
// Kernel densities, quantiles and the Mann–Whitney test come from
// go-moremath, which benchstat uses.
//
// Every function is pure and deterministic: resampling takes a seed. Functions
// are safe for concurrent use; inputs are not modified unless said so.
package stat

// Package aggregator fetches certificates from a Mithril aggregator over HTTP ([Client]), or from files ([Files]).
//
// Both implement provider.Provider: they deliver bytes and bound them, and verify nothing. Every request of a [Client] is
// bounded in size and time, and repeated only where repeating can help; see [Client] for the rules. Certificates are named
// by their content, so that asking twice is safe.
package aggregator

package main

import (
	"errors"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/provider"
)

// lightFailure is the part of a failure that comes from the light client.
type lightFailure struct {
	Provider string          `json:"provider,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	Status   int             `json:"http_status,omitempty"`
	Evidence *light.Evidence `json:"evidence,omitempty"`
}

// addLight describes who delivered what was refused, or did not deliver, or contradicts.
func (f *failure) addLight(err error) {
	var refused *light.RefusedError
	if errors.As(err, &refused) {
		f.Provider = refused.Provider
	}
	var asked *provider.Error
	if errors.As(err, &asked) {
		f.Provider, f.Attempts, f.Status = asked.Provider, asked.Attempts, asked.Status
		if f.Rule == "" {
			f.Rule = asked.Rule
		}
		if f.Hash == "" && !asked.Hash.IsZero() {
			f.Hash = asked.Hash.String()
		}
	}
	var conflict *light.ConflictError
	if errors.As(err, &conflict) {
		f.Evidence = &conflict.Evidence
	}
}

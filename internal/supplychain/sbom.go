package main

import (
	"encoding/json"
	"io"
)

// The part of CycloneDX 1.5 that is written.
type (
	document struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string   `json:"type"`
		Name     string   `json:"name"`
		Version  string   `json:"version,omitempty"`
		PURL     string   `json:"purl,omitempty"`
		Licences []choice `json:"licenses"`
	}
	choice struct {
		Licence licence `json:"license"`
	}
	licence struct {
		ID string `json:"id"`
	}
)

// bom writes the modules as a bill of materials, without a date or a serial number, so that the same modules give the same bytes.
func bom(out io.Writer, modules []module) error {
	under := func(id string) []choice { return []choice{{licence{id}}} }
	d := document{Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: metadata{component{Type: "application", Name: "github.com/stmverify/stmverify", Licences: under("Apache-2.0")}}}
	for _, m := range modules {
		id, err := licenceOf(m.Dir)
		if err != nil {
			return err
		}
		d.Components = append(d.Components, component{Type: "library", Name: m.Path, Version: m.Version,
			PURL: "pkg:golang/" + m.Path + "@" + m.Version, Licences: under(id)})
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

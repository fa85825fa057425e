package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// allowed are the licences under which a module may be: each lets the command be distributed under its own.
var allowed = map[string]bool{"Apache-2.0": true, "MIT": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "ISC": true, "MPL-2.0": true, "Unlicense": true}

// marks recognise a licence by sentences, all of which are in its text. More particular ones come first.
var marks = []struct {
	id        string
	sentences []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0, january 2004"}},
	{"Apache-2.0", []string{"licensed under the apache license, version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license, version 2.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"ISC", []string{"permission to use, copy, modify, and distribute this software for any purpose"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
}

var errNoLicence = errors.New("no licence file that is known")

// licenceOf recognises the licence of the module in a folder.
func licenceOf(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(strings.TrimPrefix(name, "un"), "licen") && !strings.HasPrefix(name, "copying") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if id := recognise(string(text)); id != "" {
			return id, nil
		}
	}
	return "", errNoLicence
}

// recognise returns the licence of a text, or "".
func recognise(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, m := range marks {
		all := true
		for _, s := range m.sentences {
			all = all && strings.Contains(text, s)
		}
		if all {
			return m.id
		}
	}
	return ""
}

// licences prints the licence of each module and fails when one is not allowed.
func licences(out io.Writer, modules []module) error {
	var bad []string
	for _, m := range modules {
		id, err := licenceOf(m.Dir)
		if err != nil {
			id = err.Error()
		}
		fmt.Fprintf(out, "%-50s %-45s %s\n", m.Path, m.Version, id)
		if !allowed[id] {
			bad = append(bad, m.Path)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("no allowed licence: %s", strings.Join(bad, ", "))
	}
	return nil
}

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	for text, want := range map[string]string{
		"                                 Apache License\n                           Version 2.0, January 2004": "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software":        "MIT",
		"Redistribution and use in source and binary forms, with or\nwithout modification":                      "BSD-2-Clause",
		"Redistribution and use in source and binary forms … Neither the name of":                               "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE": "",
		"":                           "",
	} {
		if got := recognise(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestLicenceThatIsNotAllowed(t *testing.T) {
	dir := t.TempDir()
	if _, err := licenceOf(dir); !errors.Is(err, errNoLicence) {
		t.Errorf("no file: got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "COPYING"), []byte("GNU GENERAL PUBLIC LICENSE"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := licences(&out, []module{{Path: "example.org/x", Version: "v1.0.0", Dir: dir}})
	if err == nil || !strings.Contains(err.Error(), "example.org/x") {
		t.Errorf("got %v", err)
	}
}

// TestBillOfMaterials asks for the modules of the command in SBOM.cdx.json, as they are now.
func TestBillOfMaterials(t *testing.T) {
	want, err := os.ReadFile("../../SBOM.cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	var got bytes.Buffer
	if err := run([]string{"sbom"}, &got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("SBOM.cdx.json is not what 'go run ./internal/supplychain sbom' prints")
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"x"}, {"sbom", "licences"}} {
		if err := run(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

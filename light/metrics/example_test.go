package metrics_test

import (
	"fmt"
	"log"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/metrics"
)

// Count the events of a light client.
func ExampleNew() {
	registry := prometheus.NewRegistry()
	observer, err := metrics.New(registry)
	if err != nil {
		log.Fatal(err)
	}
	option := light.Observe(observer) // for light.New
	fmt.Println(option != nil)
	// Output: true
}

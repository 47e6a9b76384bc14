// The driver over Debian's varlink-go and the package that its generator makes of the interface: performs one call and writes
// what comes of it, a line for each event. It adds nothing that the library does not do. See ../../README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	location "orglocationdlocation"

	"github.com/varlink/go/varlink"
)

// options are those of all calls, by the interface's names.
type options struct {
	MaximumAge        *float64                    `json:"maximumAge"`
	Timeout           *float64                    `json:"timeout"`
	RequiredAccuracy  *float64                    `json:"requiredAccuracy"`
	MaximumDelay      *float64                    `json:"maximumDelay"`
	MaximumUpdates    *int64                      `json:"maximumUpdates"`
	Duration          *float64                    `json:"duration"`
	Location          *bool                       `json:"location"`
	Heading           *bool                       `json:"heading"`
	HeadingFilter     *float64                    `json:"headingFilter"`
	Satellites        *bool                       `json:"satellites"`
	ReducedAccuracy   *bool                       `json:"reducedAccuracy"`
	Purpose           *string                     `json:"purpose"`
	Level             string                      `json:"level"`
	Name              *string                     `json:"name"`
	Regions           *[]location.Region          `json:"regions"`
	SignificantChange *location.SignificantChange `json:"significantChange"`
	Visits            *bool                       `json:"visits"`
	Add               *[]location.Region          `json:"add"`
	Remove            *[]string                   `json:"remove"`
}

type call struct {
	Call       string         `json:"call"`
	Options    options        `json:"options"`
	StopAfter  map[string]int `json:"stop_after"`
	PauseAfter map[string]int `json:"pause_after"`
}

var (
	input   = bufio.NewReader(os.Stdin)
	wanted  call
	counts  = map[string]int{}
	library = "varlink-go 0.4.0"
)

func check(err error) {
	if err == nil {
		return
	}
	event := map[string]interface{}{"name": "Unreachable", "message": err.Error()}
	text, _ := json.Marshal(err)
	var parameters map[string]interface{}
	if json.Unmarshal(text, &parameters) == nil && isErrorReply(err) {
		event["name"] = errorName(err)
		event["message"] = fmt.Sprintf("%s %s", errorName(err), text)
		for _, name := range []string{"best", "authorization"} {
			if value, ok := parameters[name]; ok {
				event[name] = value
			}
		}
		if reason, ok := parameters["reason"]; ok {
			event["message"] = reason
		}
	}
	report("error", event)
	os.Exit(0)
}

// errorName is the name of the interface's error, which the generated types have as the name of their type.
func errorName(err error) string {
	if other, ok := err.(*varlink.Error); ok {
		return other.Name[strings.LastIndex(other.Name, ".")+1:]
	}
	name := fmt.Sprintf("%T", err)
	return name[strings.LastIndex(name, ".")+1:]
}

func isErrorReply(err error) bool {
	name := fmt.Sprintf("%T", err)
	return strings.Contains(name, "location.") || strings.Contains(name, "varlink.")
}

// report writes an event and ends the process when the judge wants no more.
func report(kind string, event map[string]interface{}) {
	event["event"] = kind
	text, err := json.Marshal(event)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
	for _, name := range []string{"events", kind} {
		counts[name]++
		if limit, ok := wanted.StopAfter[name]; ok && counts[name] >= limit {
			os.Exit(0)
		}
	}
	if wanted.PauseAfter["events"] == counts["events"] {
		_, _ = input.ReadString('\n')
	}
}

// members are those of an object of the generated package.
func members(object interface{}) map[string]interface{} {
	text, err := json.Marshal(object)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	result := map[string]interface{}{}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	_ = decoder.Decode(&result)
	return result
}

func main() {
	line, err := input.ReadString('\n')
	check(err)
	if err := json.Unmarshal([]byte(line), &wanted); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx := context.Background()
	connection, err := varlink.NewConnection(ctx, "unix:"+os.Getenv("LOCATIOND_SOCKET"))
	check(err)
	perform(ctx, connection, wanted.Options)
	report("end", map[string]interface{}{})
}

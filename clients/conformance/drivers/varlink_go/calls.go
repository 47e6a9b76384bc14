package main

import (
	"context"
	"fmt"
	"os"

	location "orglocationdlocation"

	"github.com/varlink/go/varlink"
)

// perform makes the call that is wanted; errors end the process.
func perform(ctx context.Context, connection *varlink.Connection, o options) {
	switch wanted.Call {
	case "watch":
		watch(ctx, connection, o)
	case "regions":
		monitor(ctx, connection, o)
	case "get":
		fix, err := location.GetLocation().Call(ctx, connection, o.MaximumAge, o.Timeout, o.RequiredAccuracy, nil, nil, nil)
		check(err)
		report("location", members(fix))
	case "status":
		status, err := location.GetStatus().Call(ctx, connection, nil)
		check(err)
		report("status", members(status))
	case "request_authorization":
		requestAuthorization(ctx, connection, o)
	case "monitors":
		monitors, err := location.ListMonitors().Call(ctx, connection, nil)
		check(err)
		report("monitors", map[string]interface{}{"monitors": monitors})
	case "change_regions":
		check(location.ChangeRegions().Call(ctx, connection, *o.Name, o.Add, o.Remove, nil))
	case "remove_monitor":
		check(location.RemoveMonitor().Call(ctx, connection, *o.Name, nil))
	default:
		fmt.Fprintln(os.Stderr, "no call:", wanted.Call)
		os.Exit(2)
	}
}

func watch(ctx context.Context, connection *varlink.Connection, o options) {
	receive, err := location.Watch().Send(ctx, connection, varlink.More, nil, o.RequiredAccuracy, nil, nil, nil, o.MaximumDelay, nil,
		nil, o.MaximumUpdates, o.Duration, o.Location, o.Heading, o.HeadingFilter, o.Satellites, nil, nil, nil, o.ReducedAccuracy,
		o.Purpose, &library, nil)
	check(err)
	for {
		status, fix, heading, satellites, dropped, flags, err := receive(ctx)
		check(err)
		if status != nil {
			report("status", members(status))
		}
		if fix != nil {
			event := members(fix)
			if dropped != nil {
				event["dropped"] = *dropped
			}
			report("location", event)
		}
		if heading != nil {
			report("heading", members(heading))
		}
		if satellites != nil {
			report("satellites", map[string]interface{}{"satellites": *satellites})
		}
		if flags&varlink.Continues == 0 {
			return
		}
	}
}

func monitor(ctx context.Context, connection *varlink.Connection, o options) {
	receive, err := location.Monitor().Send(ctx, connection, varlink.More, o.Name, o.Regions, o.SignificantChange, o.Visits, nil,
		o.Purpose, &library, nil)
	check(err)
	for {
		status, region, fix, visit, flags, err := receive(ctx)
		check(err)
		if status != nil {
			report("status", members(status))
		}
		if region != nil {
			report("region", map[string]interface{}{"report": region})
		}
		if fix != nil {
			report("location", members(fix))
		}
		if visit != nil {
			report("visit", members(visit))
		}
		if flags&varlink.Continues == 0 {
			return
		}
	}
}

func requestAuthorization(ctx context.Context, connection *varlink.Connection, o options) {
	receive, err := location.RequestAuthorization().Send(ctx, connection, varlink.More, o.Level, o.Purpose, nil, nil, nil)
	check(err)
	for {
		status, flags, err := receive(ctx)
		check(err)
		if flags&varlink.Continues == 0 {
			report("status", members(status))
			return
		}
	}
}

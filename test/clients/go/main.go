// The whole flow with the client that oapi-codegen generates. Prints the results as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"queueapi.example/journey/client"
)

var (
	ctx       = context.Background()
	queueID   = os.Getenv("QUEUE_ID")
	unknownID = "00000000000000000000"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func connect(key, baseURL string) *client.ClientWithResponses {
	authenticate := func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	return must(client.NewClientWithResponses(baseURL, client.WithRequestEditorFn(authenticate)))
}

func asText(_ context.Context, req *http.Request) error {
	req.Header.Set("Content-Type", "text/plain")
	return nil
}

// The status, the code, and the fields or scopes that the error names.
func outcome(status int, answers ...*client.ErrorResponse) string {
	for _, answer := range answers {
		if answer == nil {
			continue
		}
		words := []string{fmt.Sprint(status), answer.Error.Code}
		if answer.Error.Details != nil {
			for _, detail := range *answer.Error.Details {
				words = append(words, detail.Field)
			}
		}
		if answer.Error.Required != nil {
			words = append(words, *answer.Error.Required...)
		}
		return strings.Join(words, " ")
	}
	return fmt.Sprint(status, " without an error")
}

func outcomeOfMe(answer *client.GetMeResponse) string {
	return outcome(answer.StatusCode(), answer.JSON401, answer.JSON403, answer.JSON429, answer.JSON500)
}

func outcomeOfCreation(answer *client.CreateEntryResponse) string {
	return outcome(answer.StatusCode(), answer.JSON400, answer.JSON403, answer.JSON409, answer.JSON413, answer.JSON415, answer.JSON422)
}

func main() {
	baseURL, failingURL := os.Getenv("BASE_URL"), os.Getenv("FAILING_URL")
	mainClient := connect(os.Getenv("MAIN_KEY"), baseURL)
	body := client.CreateEntryRequest{Name: "Customer 4", Phone: "+91 98000 00004"}
	create := func(on *client.ClientWithResponses, body client.CreateEntryRequest, key string, editors ...client.RequestEditorFn) *client.CreateEntryResponse {
		params := &client.CreateEntryParams{IdempotencyKey: &key}
		return must(on.CreateEntryWithResponse(ctx, queueID, params, body, editors...))
	}

	created := create(mainClient, body, "go-journey-1")
	replayed := create(mainClient, body, "go-journey-1")
	entryID := created.JSON201.Data.Id

	var pages [][]string
	limit := 3
	for params := (&client.ListEntriesParams{Limit: &limit}); ; {
		page := must(mainClient.ListEntriesWithResponse(ctx, queueID, params)).JSON200
		var tokens []string
		for _, entry := range page.Data {
			tokens = append(tokens, entry.Token)
		}
		pages = append(pages, tokens)
		if page.NextCursor == nil {
			break
		}
		params.Cursor = page.NextCursor
	}

	canceled := must(mainClient.CancelEntryWithResponse(ctx, entryID))
	again := must(mainClient.CancelEntryWithResponse(ctx, entryID))
	unknown := must(mainClient.GetEntryWithResponse(ctx, unknownID))
	once := connect(os.Getenv("ONCE_KEY"), baseURL)
	must(once.GetMeWithResponse(ctx))
	me := func(key, baseURL string) string {
		return outcomeOfMe(must(connect(key, baseURL).GetMeWithResponse(ctx)))
	}

	var services, queues []string
	for _, service := range must(mainClient.ListServicesWithResponse(ctx)).JSON200.Data {
		services = append(services, service.Name)
	}
	for _, queue := range must(mainClient.ListQueuesWithResponse(ctx)).JSON200.Data {
		queues = append(queues, queue.Name)
	}

	results := map[string]any{
		"me":       must(mainClient.GetMeWithResponse(ctx)).JSON200.Data.Business.Name,
		"services": services,
		"queues":   queues,
		"created":  []any{created.StatusCode(), created.JSON201.Data.Token, created.JSON201.Data.Position},
		"located":  strings.HasSuffix(created.HTTPResponse.Header.Get("Location"), entryID),
		"replayed": []any{replayed.HTTPResponse.Header.Get("Idempotent-Replay"), replayed.JSON201.Data.Id == entryID},
		"pages":    pages,
		"canceled": canceled.JSON200.Data.Status,
		"refused": []string{
			outcomeOfCreation(create(mainClient, client.CreateEntryRequest{Phone: "123"}, "go-journey-2")),
			me("svc_live_no", baseURL),
			outcomeOfCreation(create(connect(os.Getenv("READ_KEY"), baseURL), body, "go-journey-1")),
			outcome(unknown.StatusCode(), unknown.JSON404),
			outcome(again.StatusCode(), again.JSON409),
			outcomeOfCreation(create(mainClient, client.CreateEntryRequest{Name: strings.Repeat("x", 40_000), Phone: body.Phone}, "go-journey-1")),
			outcomeOfCreation(create(mainClient, body, "go-journey-1", asText)),
			outcomeOfCreation(create(mainClient, client.CreateEntryRequest{Name: "Somebody else", Phone: body.Phone}, "go-journey-1")),
			outcomeOfMe(must(once.GetMeWithResponse(ctx))),
			me(os.Getenv("MAIN_KEY"), failingURL+"/failing"),
			me(os.Getenv("MAIN_KEY"), failingURL+"/region_blocked"),
			me(os.Getenv("MAIN_KEY"), failingURL+"/gateway"),
		},
	}
	fmt.Println(string(must(json.Marshal(results))))
}

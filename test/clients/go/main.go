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
	ctx     = context.Background()
	queueID = os.Getenv("QUEUE_ID")
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

func outcomeOfCreation(answer *client.CreateEntryResponse) string {
	return outcome(answer.StatusCode(), answer.JSON400, answer.JSON403)
}

func main() {
	baseURL, failingURL := os.Getenv("BASE_URL"), os.Getenv("FAILING_URL")
	mainClient := connect(os.Getenv("MAIN_KEY"), baseURL)
	body := client.CreateEntryRequest{Name: "Customer 4", Phone: "+91 98000 00004"}
	create := func(on *client.ClientWithResponses, body client.CreateEntryRequest, key string) *client.CreateEntryResponse {
		params := &client.CreateEntryParams{IdempotencyKey: &key}
		return must(on.CreateEntryWithResponse(ctx, queueID, params, body))
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
	failing := func(name string) string {
		answer := must(connect(os.Getenv("MAIN_KEY"), failingURL+"/"+name).GetMeWithResponse(ctx))
		return outcome(answer.StatusCode(), answer.JSON403)
	}

	results := map[string]any{
		"me":       must(mainClient.GetMeWithResponse(ctx)).JSON200.Data.Business.Name,
		"created":  []any{created.StatusCode(), created.JSON201.Data.Token, created.JSON201.Data.Position},
		"located":  strings.HasSuffix(created.HTTPResponse.Header.Get("Location"), entryID),
		"replayed": []any{replayed.HTTPResponse.Header.Get("Idempotent-Replay"), replayed.JSON201.Data.Id == entryID},
		"pages":    pages,
		"canceled": canceled.JSON200.Data.Status,
		"refused": []string{
			outcomeOfCreation(create(mainClient, client.CreateEntryRequest{Phone: "123"}, "go-journey-2")),
			outcomeOfCreation(create(connect(os.Getenv("READ_KEY"), baseURL), body, "go-journey-1")),
			outcome(again.StatusCode(), again.JSON409),
			failing("region_blocked"),
			failing("gateway"),
		},
	}
	fmt.Println(string(must(json.Marshal(results))))
}

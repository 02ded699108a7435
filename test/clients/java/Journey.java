import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import queueapi.ApiClient;
import queueapi.ApiException;
import queueapi.ApiResponse;
import queueapi.api.EntriesApi;
import queueapi.api.MeApi;
import queueapi.api.QueuesApi;
import queueapi.api.ServicesApi;
import queueapi.model.CreateEntryRequest;
import queueapi.model.Entry;
import queueapi.model.EntryPage;
import queueapi.model.EntryWithPositionResponse;
import queueapi.model.ErrorDetail;
import queueapi.model.ErrorResponse;
import queueapi.model.Queue;
import queueapi.model.Service;

/** The whole flow with the client that openapi-generator generates. Prints the results as JSON. */
public class Journey {
  static final String BASE_URL = System.getenv("BASE_URL");
  static final String QUEUE_ID = System.getenv("QUEUE_ID");
  static final String UNKNOWN_ID = "00000000000000000000";
  static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

  interface Call {
    void run() throws ApiException;
  }

  static ApiClient connect(String key, String baseUrl) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(baseUrl);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  static CreateEntryRequest request(String name, String phone) {
    return new CreateEntryRequest().name(name).phone(phone);
  }

  /** The status, the code, and the fields or scopes that the error names. */
  static String outcome(Call call) {
    try {
      call.run();
    } catch (ApiException refused) {
      String status = String.valueOf(refused.getCode());
      queueapi.model.Error error;
      try {
        error = MAPPER.readValue(refused.getResponseBody(), ErrorResponse.class).getError();
      } catch (Exception notJson) {
        return status + " without an error";
      }
      List<String> words = new ArrayList<>(List.of(status, error.getCode()));
      if (error.getDetails() != null) for (ErrorDetail detail : error.getDetails()) words.add(detail.getField());
      if (error.getRequired() != null) words.addAll(error.getRequired());
      return String.join(" ", words);
    }
    return "not refused";
  }

  public static void main(String[] args) throws Exception {
    String key = System.getenv("MAIN_KEY");
    String failing = System.getenv("FAILING_URL");
    ApiClient main = connect(key, BASE_URL);
    EntriesApi entries = new EntriesApi(main);
    CreateEntryRequest body = request("Customer 4", "+91 98000 00004");

    ApiResponse<EntryWithPositionResponse> created = entries.createEntryWithHttpInfo(QUEUE_ID, body, "java-journey-1");
    ApiResponse<EntryWithPositionResponse> replayed = entries.createEntryWithHttpInfo(QUEUE_ID, body, "java-journey-1");
    String entryId = created.getData().getData().getId();

    List<List<String>> pages = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page = entries.listEntries(QUEUE_ID, null, null, 3, cursor);
      pages.add(page.getData().stream().map(Entry::getToken).toList());
      cursor = page.getNextCursor();
    } while (cursor != null);

    String canceled = entries.cancelEntry(entryId).getData().getStatus().getValue();
    MeApi once = new MeApi(connect(System.getenv("ONCE_KEY"), BASE_URL));
    once.getMe();
    EntriesApi reader = new EntriesApi(connect(System.getenv("READ_KEY"), BASE_URL));
    ApiClient asText = connect(key, BASE_URL);
    asText.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + key).setHeader("Content-Type", "text/plain"));

    Map<String, Object> results = new LinkedHashMap<>();
    results.put("me", new MeApi(main).getMe().getData().getBusiness().getName());
    results.put("services", new ServicesApi(main).listServices().getData().stream().map(Service::getName).toList());
    results.put("queues", new QueuesApi(main).listQueues().getData().stream().map(Queue::getName).toList());
    results.put("created", List.of(created.getStatusCode(), created.getData().getData().getToken(), created.getData().getData().getPosition()));
    results.put("located", created.getHeaders().get("location").get(0).endsWith(entryId));
    results.put("replayed", List.of(replayed.getHeaders().get("idempotent-replay").get(0), replayed.getData().getData().getId().equals(entryId)));
    results.put("pages", pages);
    results.put("canceled", canceled);
    results.put("refused", List.of(
        outcome(() -> entries.createEntry(QUEUE_ID, request("", "123"), "java-journey-2")),
        outcome(() -> new MeApi(connect("svc_live_no", BASE_URL)).getMe()),
        outcome(() -> reader.createEntry(QUEUE_ID, body, "java-journey-1")),
        outcome(() -> entries.getEntry(UNKNOWN_ID)),
        outcome(() -> entries.cancelEntry(entryId)),
        outcome(() -> entries.createEntry(QUEUE_ID, request("x".repeat(40_000), "+91 98000 00004"), "java-journey-1")),
        outcome(() -> new EntriesApi(asText).createEntry(QUEUE_ID, body, "java-journey-1")),
        outcome(() -> entries.createEntry(QUEUE_ID, request("Somebody else", "+91 98000 00005"), "java-journey-1")),
        outcome(() -> once.getMe()),
        outcome(() -> new MeApi(connect(key, failing + "/failing")).getMe()),
        outcome(() -> new MeApi(connect(key, failing + "/region_blocked")).getMe()),
        outcome(() -> new MeApi(connect(key, failing + "/gateway")).getMe())));
    System.out.println(MAPPER.writeValueAsString(results));
  }
}

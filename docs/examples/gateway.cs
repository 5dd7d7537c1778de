// Asks for a signature and saves it: gateway.exe URL TOKEN. .NET 5 or later, .NET Framework 4.6.1, or Mono:
// mcs -r:System.Net.Http -r:System.Runtime.Serialization gateway.cs && mono gateway.exe URL TOKEN
using System;
using System.IO;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;
using System.Threading;
using System.Threading.Tasks;

[DataContract] public class Row { [DataMember] public string label, value; }

[DataContract] public class CaptureRequest {
    [DataMember] public string[] prompt;
    [DataMember(EmitDefaultValue = false)] public Row[] rows;
    [DataMember(EmitDefaultValue = false)] public string signer;
}

[DataContract] public class Outcome { [DataMember] public string result, by, limit, reason; }
[DataContract] public class Capture { [DataMember] public string id, state; [DataMember] public Outcome outcome; }
[DataContract] public class Problem { [DataMember] public string type, detail; }

/// <summary>Why a call failed; the message says what to do. Status is 0 without an answer.</summary>
public class InkpanelError : Exception {
    public readonly int Status;
    public InkpanelError(int status, string message) : base(message) { Status = status; }
    public bool IsTemporary { get { return Status == 0 || Status == 408 || Status == 429 || Status >= 500; } }
}

public class Inkpanel {
    readonly HttpClient http = new HttpClient { Timeout = TimeSpan.FromSeconds(90) };

    public Inkpanel(string url, string token) {
        http.BaseAddress = new Uri(url);
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
    }

    /// <summary>Asks for a signature and waits for its end. It is cancelled with the token, and by exceptions.</summary>
    public async Task<Capture> Sign(CaptureRequest request, string key, CancellationToken cancellation) {
        var answer = await Call(HttpMethod.Post, "/v1/captures", Write(request), "Idempotency-Key", key);
        var capture = ReadCapture(answer);
        try {
            for (var lost = 0; capture.state != "ended";) {
                cancellation.ThrowIfCancellationRequested();
                var wait = 2;
                try {
                    // Answered when it changes, at the latest after 30 s.
                    answer = await Call(
                        HttpMethod.Get, "/v1/captures/" + capture.id, null, "Prefer", "wait=30", cancellation);
                    capture = ReadCapture(answer);
                    lost = wait = 0;
                } catch (InkpanelError error) {
                    if (!error.IsTemporary || ++lost > 20) throw;
                }
                await Task.Delay(TimeSpan.FromSeconds(wait), cancellation);
            }
        } finally {
            // Nobody may sign for a program that has ended.
            if (capture.state != "ended") await Cancel(capture.id);
        }
        return capture;
    }

    async Task Cancel(string capture) {
        try {
            await Call(HttpMethod.Post, "/v1/captures/" + capture + "/cancel");
        } catch (InkpanelError) {
            // The gateway cancels a capture that nobody follows for a minute.
        }
    }

    public Task<byte[]> File(string capture, string name) {
        return Call(HttpMethod.Get, "/v1/captures/" + capture + "/" + name);
    }

    async Task<byte[]> Call(HttpMethod method, string path, byte[] body = null, string header = null, string value = null,
                            CancellationToken cancellation = default(CancellationToken)) {
        var request = new HttpRequestMessage(method, path);
        if (header != null) request.Headers.TryAddWithoutValidation(header, value);
        if (body != null) {
            request.Content = new ByteArrayContent(body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        }
        HttpResponseMessage answer;
        byte[] content;
        try {
            answer = await http.SendAsync(request, cancellation);
            content = await answer.Content.ReadAsByteArrayAsync();
        } catch (HttpRequestException error) {
            throw new InkpanelError(0, (error.InnerException ?? error).Message);
        } catch (IOException error) {
            throw new InkpanelError(0, error.Message);
        } catch (OperationCanceledException) {
            // The time limit ends a request in the same way.
            cancellation.ThrowIfCancellationRequested();
            throw new InkpanelError(0, "no answer for " + http.Timeout.TotalSeconds + " s");
        }
        if (answer.IsSuccessStatusCode) return content;
        var type = answer.Content.Headers.ContentType;
        var isProblem = type != null && type.MediaType == "application/problem+json";
        throw new InkpanelError((int)answer.StatusCode, isProblem ? Read<Problem>(content).detail : answer.ReasonPhrase);
    }

    static byte[] Write<T>(T value) {
        var stream = new MemoryStream();
        new DataContractJsonSerializer(typeof(T)).WriteObject(stream, value);
        return stream.ToArray();
    }

    static T Read<T>(byte[] json) {
        try {
            return (T)new DataContractJsonSerializer(typeof(T)).ReadObject(new MemoryStream(json));
        } catch (SerializationException) {
            throw NotAGateway();
        }
    }

    static InkpanelError NotAGateway() {
        return new InkpanelError(404, "what answers is not Inkpanel's gateway: check host and port");
    }

    static Capture ReadCapture(byte[] json) {
        var capture = Read<Capture>(json);
        if (capture == null || capture.id == null || capture.state == null) throw NotAGateway();
        return capture;
    }
}

public static class Example {
    public static int Main(string[] arguments) {
        if (arguments.Length != 2) {
            Console.Error.WriteLine("usage: gateway.exe URL TOKEN");
            return 2;
        }
        var ended = new CancellationTokenSource();
        Console.CancelKeyPress += (_, pressed) => { pressed.Cancel = true; ended.Cancel(); };
        try {
            Run(new Inkpanel(arguments[0], arguments[1]), ended.Token).GetAwaiter().GetResult();
            return 0;
        } catch (InkpanelError error) {
            Console.Error.WriteLine(error.Message);
        } catch (OperationCanceledException) {
            Console.Error.WriteLine("interrupted");
        }
        return 1;
    }

    static async Task Run(Inkpanel pad, CancellationToken ended) {
        var request = new CaptureRequest {
            prompt = new[] { "Delivery 4711" }, rows = new[] { new Row { label = "Order", value = "4711" } } };
        var capture = await pad.Sign(request, Guid.NewGuid().ToString(), ended);
        if (capture.outcome.result == "accepted")
            File.WriteAllBytes("signature.png", await pad.File(capture.id, "signature.png"));
        Console.WriteLine(capture.outcome.result);
    }
}

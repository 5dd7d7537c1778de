// Has contract.pdf signed, over HTTP alone: mcs -r:System.Net.Http sign-pdf.cs && mono sign-pdf.exe URL TOKEN
using System;
using System.IO;
using System.Net.Http;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

static class SignPdf {
    static void Main(string[] args) { Run(args).GetAwaiter().GetResult(); }

    static async Task Run(string[] args) {
        var http = new HttpClient { BaseAddress = new Uri(args[0] + "/v1/") };
        http.DefaultRequestHeaders.Add("Authorization", "Bearer " + args[1]);
        http.DefaultRequestHeaders.Add("Prefer", "wait=30");
        Func<string, byte[], string, Task<string>> post = async (path, body, type) => {
            var content = new ByteArrayContent(body);
            content.Headers.Add("Content-Type", type);
            return await (await http.PostAsync(path, content)).EnsureSuccessStatusCode().Content.ReadAsStringAsync();
        };
        Func<string, string> id = json => Regex.Match(json, "\"id\":\"(.*?)\"").Groups[1].Value;
        var document = id(await post("documents", File.ReadAllBytes("contract.pdf"), "application/pdf"));
        var request = "{\"document\":{\"id\":\"" + document + "\",\"fields\":[{\"anchor\":\"Signature:\"}]}}";
        var capture = await post("captures", Encoding.UTF8.GetBytes(request), "application/json");
        while (!capture.Contains("\"state\":\"ended\"")) capture = await http.GetStringAsync("captures/" + id(capture));
        if (capture.Contains("\"signed\":true"))
            File.WriteAllBytes("signed.pdf", await http.GetByteArrayAsync("captures/" + id(capture) + "/signed.pdf"));
    }
}

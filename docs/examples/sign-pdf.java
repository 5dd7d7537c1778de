// Has contract.pdf signed, over HTTP alone: java sign-pdf.java URL TOKEN
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.function.*;
import static java.net.http.HttpResponse.BodyHandlers.*;

class SignPdf {
    public static void main(String[] args) throws Exception {
        var http = HttpClient.newHttpClient();
        Function<String, HttpRequest.Builder> call = path -> HttpRequest.newBuilder(URI.create(args[0] + "/v1/" + path))
            .header("Authorization", "Bearer " + args[1]).header("Prefer", "wait=30");
        UnaryOperator<String> id = json -> json.replaceAll("(?s).*?\"id\":\"(.*?)\".*", "$1");
        var upload = call.apply("documents").header("Content-Type", "application/pdf");
        var contract = BodyPublishers.ofFile(Path.of("contract.pdf"));
        var document = http.send(upload.POST(contract).build(), ofString()).body();
        var request = "{\"document\":{\"id\":\"" + id.apply(document) + "\",\"fields\":[{\"anchor\":\"Signature:\"}]}}";
        var ask = call.apply("captures").header("Content-Type", "application/json");
        var capture = http.send(ask.POST(BodyPublishers.ofString(request)).build(), ofString()).body();
        while (capture.contains("\"id\":") && !capture.contains("\"state\":\"ended\""))
            capture = http.send(call.apply("captures/" + id.apply(capture)).build(), ofString()).body();
        if (capture.contains("\"signed\":true"))
            http.send(call.apply("captures/" + id.apply(capture) + "/signed.pdf").build(),
                ofFile(Path.of("signed.pdf")));
        else System.err.println(capture);
    }
}

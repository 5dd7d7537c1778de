<?php
// Asks for a signature and saves it: php gateway.php URL TOKEN [CA.PEM]. Needs PHP 8 and its extension curl.
declare(strict_types=1);

final class InkpanelError extends RuntimeException {}

final class Inkpanel
{
    public function __construct(private string $url, private string $token, private ?string $ca = null) {}

    /** Asks for a signature and waits for its end. The same key again gets the same capture. */
    public function capture(array $request, string $key): array
    {
        $capture = $this->read('POST', '/v1/captures', $request, ["Idempotency-Key: $key"]);
        try {
            for ($lost = 0; $capture['state'] !== 'ended';) {
                try {
                    // Answered when it changes, at the latest after 30 s.
                    $capture = $this->read('GET', "/v1/captures/{$capture['id']}", null, ['Prefer: wait=30']);
                    $lost = 0;
                } catch (InkpanelError $error) {
                    // Of a gateway that is busy or starts anew; 0 is no answer.
                    $isTemporary = in_array($error->getCode(), [0, 408, 429]) || $error->getCode() >= 500;
                    if (!$isTemporary || ++$lost > 20) {
                        throw $error;
                    }
                    sleep(2);
                }
            }
        } finally {
            // Nobody may sign for a program that has ended.
            if ($capture['state'] !== 'ended') {
                try {
                    $this->call('POST', "/v1/captures/{$capture['id']}/cancel");
                } catch (InkpanelError) {
                }
            }
        }
        return $capture;
    }

    public function file(string $capture, string $name): string
    {
        return $this->call('GET', "/v1/captures/$capture/$name");
    }

    private function read(string $method, string $path, ?array $body, array $headers): array
    {
        $capture = json_decode($this->call($method, $path, $body, $headers), true);
        return isset($capture['id'], $capture['state']) ? $capture
            : throw new InkpanelError("$this->url answers, but not as Inkpanel's gateway", 404);
    }

    private function call(string $method, string $path, ?array $body = null, array $headers = []): string
    {
        $curl = curl_init($this->url . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 90,
            CURLOPT_HTTPHEADER => ["Authorization: Bearer $this->token", 'Content-Type: application/json', ...$headers],
        ]);
        if ($this->ca) {
            curl_setopt($curl, CURLOPT_CAINFO, $this->ca);
        }
        if ($method === 'POST') {
            $content = $body ? json_encode($body) : '';
            if ($content === false) {
                throw new InkpanelError('The request cannot be written as JSON: ' . json_last_error_msg(), 400);
            }
            curl_setopt($curl, CURLOPT_POSTFIELDS, $content);
        }
        $answer = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($answer === false || $status >= 400) {
            $problem = json_decode((string) $answer, true);
            throw new InkpanelError($problem['detail'] ?? (curl_error($curl) ?: "HTTP status $status"), $status);
        }
        return $answer;
    }
}

if (count($argv) < 3) {
    exit("usage: php gateway.php URL TOKEN [CA.PEM]\n");
}
$pad = new Inkpanel($argv[1], $argv[2], $argv[3] ?? null);
$request = ['prompt' => ['Delivery 4711'], 'rows' => [['label' => 'Order', 'value' => '4711']]];
// Ctrl-C ends PHP at once; the gateway cancels a capture that nobody follows for a minute.
try {
    $capture = $pad->capture($request, bin2hex(random_bytes(16)));
} catch (InkpanelError $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
if ($capture['outcome']['result'] === 'accepted') {
    file_put_contents('signature.png', $pad->file($capture['id'], 'signature.png'));
}
echo $capture['outcome']['result'], "\n";

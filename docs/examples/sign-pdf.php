<?php
// Has contract.pdf signed, over HTTP alone: php sign-pdf.php URL TOKEN
[, $url, $token] = $argv;
$call = fn($method, $path, $type = 'application/json', $body = '') => file_get_contents("$url/v1/$path", false,
    stream_context_create(['http' => ['method' => $method, 'content' => $body, 'timeout' => 90,
        'header' => ["Authorization: Bearer $token", "Content-Type: $type", 'Prefer: wait=30']]]))
    ?: exit("$path: {$http_response_header[0]}\n");
$document = json_decode($call('POST', 'documents', 'application/pdf', file_get_contents('contract.pdf')));
$request = ['document' => ['id' => $document->id, 'fields' => [['anchor' => 'Signature:']]]];
$capture = json_decode($call('POST', 'captures', body: json_encode($request)));
while ($capture->state !== 'ended') $capture = json_decode($call('GET', "captures/$capture->id"));
if ($capture->signed ?? false) file_put_contents('signed.pdf', $call('GET', "captures/$capture->id/signed.pdf"));

<?php
// The same with a generated client: php generated.php URL TOKEN, beside the folder php-client of
//     openapi-generator-cli generate -g php -i openapi.json -o php-client
// Needs Guzzle (Debian: php-guzzlehttp-guzzle).
declare(strict_types=1);

use OpenAPI\Client\Api\{CapturesApi, RecordsApi};
use OpenAPI\Client\{ApiException, Configuration};
use OpenAPI\Client\Model\{CaptureRequest, CaptureRequestRowsInner};

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $parts = explode('\\', $class);
    if (array_splice($parts, 0, 2) === ['OpenAPI', 'Client']) {
        require 'php-client/lib/' . implode('/', $parts) . '.php';
    }
});

// It asks only the default one how to write true and false.
$configuration = Configuration::getDefaultConfiguration()->setHost($argv[1])->setAccessToken($argv[2])
    ->setBooleanFormatForQueryString(Configuration::BOOLEAN_FORMAT_STRING);
$captures = new CapturesApi(new GuzzleHttp\Client(), $configuration);
$rows = [new CaptureRequestRowsInner(['label' => 'Order', 'value' => '4711'])];
try {
    $capture = $captures->createCapture(new CaptureRequest(['prompt' => ['Delivery 4711'], 'rows' => $rows]));
    // What fails here ends the program; gateway.php goes on.
    while ($capture->getState() !== 'ended') {
        $capture = $captures->getCapture($capture->getId(), prefer: 'wait=30');
    }
    $result = $capture->getOutcome()->getResult();
    if ($result === 'accepted') {
        $records = new RecordsApi(new GuzzleHttp\Client(), $configuration);
        file_put_contents('signature.png', $records->getSignaturePNG($capture->getId()));
    }
    echo $result, "\n";
} catch (ApiException $error) {
    fwrite(STDERR, json_decode((string) $error->getResponseBody())->detail ?? $error->getMessage());
    exit(1);
}

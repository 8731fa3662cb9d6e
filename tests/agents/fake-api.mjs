// Runs a command beside a model API that only ever says "ok", and writes down what it was asked.
//
//   node fake-api.mjs LOG COMMAND [ARGUMENT]...
//
// The command finds the API at $FAKE_API, on a free port of 127.0.0.1. LOG gets one line of JSON
// for each request: {"method", "url", "body"}. Ends with the command, and with its exit code.
//
// With $FAKE_TOOL, such as {"name": "x", "input": {}}, the first request for Anthropic Messages that
// offers a tool of this name is answered with a call of it.

import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constants } from 'node:os';

const [log, command, ...words] = process.argv.slice(2);

const MODEL = 'fake';

// Server-sent events; where they have a type, it is also in a line of its own.
function event(data) {
    const type = data.type ? `event: ${data.type}\n` : '';
    return `${type}data: ${JSON.stringify(data)}\n\n`;
}
const events = (...list) => list.map(event).join('');

// Anthropic Messages.
const message = (content, stop_reason) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
});

let toUse = process.env.FAKE_TOOL ? JSON.parse(process.env.FAKE_TOOL) : null;

function toolUse({ name, input }) {
    const delta = { stop_reason: 'tool_use', stop_sequence: null };
    const call = { type: 'tool_use', id: 'toolu_1', name, input: {} };
    const json = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    return events(
        { type: 'message_start', message: message([], null) },
        { type: 'content_block_start', index: 0, content_block: call },
        { type: 'content_block_delta', index: 0, delta: json },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
    );
}

function messages({ stream, tools }) {
    if (stream && toUse && tools?.some((tool) => tool.name === toUse.name)) {
        const call = toUse;
        toUse = null;
        return toolUse(call);
    }
    if (!stream) return message([{ type: 'text', text: 'ok' }], 'end_turn');
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    return events(
        { type: 'message_start', message: message([], null) },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
    );
}

// OpenAI Responses.
function responses({ stream }) {
    const content = [{ type: 'output_text', text: 'ok', annotations: [] }];
    const item = { type: 'message', id: 'item_1', role: 'assistant', status: 'completed', content };
    const empty = { ...item, status: 'in_progress', content: [] };
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    const response = { id: 'resp_1', object: 'response', created_at: 0, model: MODEL };
    const begun = { ...response, status: 'in_progress', output: [] };
    const usage = {
        input_tokens: 1,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 1,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 2,
    };
    const ended = { ...response, status: 'completed', output: [item], usage };
    if (!stream) return ended;
    return events(
        { type: 'response.created', response: begun },
        { type: 'response.output_item.added', output_index: 0, item: empty },
        { type: 'response.output_text.delta', ...place, delta: 'ok' },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: ended },
    );
}

// OpenAI Chat Completions.
function completions({ stream }) {
    const completion = { id: 'chat_1', object: 'chat.completion', created: 0, model: MODEL };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: 'assistant', content: 'ok' };
    if (!stream) {
        return { ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
    }
    const chunk = (delta, finish_reason) => ({
        ...completion,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
    });
    return events(chunk(message, null), { ...chunk({}, 'stop'), usage }) + 'data: [DONE]\n\n';
}

// Gemini; whether it streams is part of the address.
function generate(_, url) {
    const content = { role: 'model', parts: [{ text: 'ok' }] };
    const answer = {
        candidates: [{ index: 0, content, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        modelVersion: MODEL,
    };
    return url.includes(':streamGenerateContent') ? events(answer) : answer;
}

const ROUTES = [
    [/\/messages\/count_tokens\b/, () => ({ input_tokens: 1 })],
    [/\/messages\b/, messages],
    [/\/responses\b/, responses],
    [/\/chat\/completions\b/, completions],
    [/:(stream)?generateContent\b/i, generate],
    [/:countTokens\b/, () => ({ totalTokens: 1 })],
    // OpenAI and Anthropic call the list `data`, Gemini and Codex `models`.
    [/\/models\b/, () => ({ object: 'list', data: [{ id: MODEL, object: 'model' }], models: [] })],
];

function answer(url, body) {
    let request = {};
    try {
        request = JSON.parse(body);
    } catch {
        // Not for a model.
    }
    const [, route] = ROUTES.find(([pattern]) => pattern.test(url)) ?? [];
    return route ? route(request, url) : {};
}

const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
        const { method, url } = request;
        const body = Buffer.concat(chunks).toString();
        appendFileSync(log, JSON.stringify({ method, url, body }) + '\n');
        const said = answer(url, body);
        const streams = typeof said === 'string';
        response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json');
        response.end(streams ? said : JSON.stringify(said));
    });
});

writeFileSync(log, '');
server.listen(0, '127.0.0.1', () => {
    const FAKE_API = `http://127.0.0.1:${server.address().port}`;
    const child = spawn(command, words, { stdio: 'inherit', env: { ...process.env, FAKE_API } });
    child.on('error', (error) => {
        console.error(error.message);
        process.exit(127);
    });
    // As the first process of its namespace, this one would not be ended by them.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});

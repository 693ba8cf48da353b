// jsdom with what it lacks and browsers have, taken from Node: without it no call can be made and no body
// read.
import { TestEnvironment } from 'jest-environment-jsdom';

const FROM_NODE = [
  'fetch',
  'Request',
  'Response',
  'Headers',
  'FormData',
  'AbortController',
  'AbortSignal',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'TextEncoder',
  'TextDecoder',
  'structuredClone',
  'BroadcastChannel',
];

export default class BrowserEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of FROM_NODE) this.global[name] = globalThis[name];
    this.global.isStrict = config.projectConfig.testEnvironmentOptions.isStrict === true;
  }

  // What decides between the web's packages for browsers and those for Node, and finds our own sources.
  exportConditions() {
    return ['source', 'browser', 'module'];
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';

const configuration = readFileSync(join(repositoryRoot(), 'deploy/haproxy.cfg'), 'utf8');

describe('the proxy’s log', () => {
  it('has no path, no query and no header of a request: they may name a person', () => {
    const [format = ''] = /^ +log-format .*$/m.exec(configuration) ?? [];
    expect(format).toContain('%HM');
    // Of HAProxy's variables: the whole request line, URI, path, query, and captured headers.
    expect(format).not.toMatch(/%(?:\{[^}]*\})?(?:r|HU|HP|HPO|HQ|hr|hs|hrl|hsl)\b/);
    expect(configuration).not.toMatch(/^ +option (?:httplog|httpslog)/m);
    expect(configuration).not.toMatch(/^ +(?:http-request )?capture/m);
  });
});

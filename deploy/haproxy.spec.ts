import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '#local/launch/program';
import { SUBSCRIBER_BITS } from '#edge/address';
import { composed } from '#test/containers/compose-file';

const textOf = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');
const configuration = textOf('deploy/haproxy.cfg');

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

describe('the address of whoever connects to the proxy', () => {
  it('is their own: Docker would bring all who come by IPv6 into a network without it from one address', () => {
    const { services, networks } = composed(textOf('docker-compose.yml'), {
      PUBLIC_URL: 'https://encore.example',
      OIDC_ISSUER: 'https://login.example',
      OIDC_CLIENT_ID: 'encore',
      STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
    });
    expect(networks['edge']).toEqual({ enable_ipv6: false });
    expect(services['proxy']?.ports).toEqual(['0.0.0.0:80:8080', '0.0.0.0:443:8443']);
  });

  it('is counted with all others of its subscriber, as the ledgers count it', () =>
    expect(configuration).toContain(`track-sc0 src,ipmask(32,${SUBSCRIBER_BITS})`));
});

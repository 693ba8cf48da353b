/** The health check reads from the process list what runs in its container. */
import { describe, expect, it } from '@jest/globals';
import { roleIn } from './role.js';

describe('the role of a container', () => {
  const init = ['/sbin/docker-init', '--', 'encore', 'ledger'];

  it('is read from the process list, with the port that is set', () => {
    const lines = [init, ['node', '--max-semi-space-size=64', 'dist/processes/ledger.js', '']];
    expect(roleIn(lines, {})).toEqual({ role: 'ledger', port: 3001 });
    expect(roleIn(lines, { LEDGER_PORT: '4001' })).toEqual({ role: 'ledger', port: 4001 });
    const archive = ['node', 'dist/processes/operate.js', 'archive', '--follow'];
    expect(roleIn([archive], {})).toEqual({ role: 'archive', port: 3006 });
    expect(roleIn([archive.slice(0, 3)], {})).toBeUndefined();
    expect(roleIn([['node', 'dist/processes/transparency.js', '']], {})).toEqual({
      role: 'transparency',
      port: 3007,
    });
    expect(roleIn([['node', 'dist/processes/workers.js', '']], {})).toEqual({ role: 'workers', port: 3004 });
  });

  it('is none where only a command or the check itself runs', () =>
    expect(
      roleIn(
        [
          ['node', 'dist/processes/audit.js', 'verify'],
          ['node', 'dist/deploy/healthy.js'],
        ],
        {},
      ),
    ).toBeUndefined());
});

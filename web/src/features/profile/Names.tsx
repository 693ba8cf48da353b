/** How one is called: by whoever signs one in, and by others here. */
import { AtSign } from 'lucide-react';
import { useUser } from '../account/current-user.js';
import { usePrivacy } from '../account/privacy.js';
import { Card, DotLeaders, Note, Section } from '../../shared/ui/Layout.js';
import { fullName } from '../../shared/wording/people.js';

/** A field that the sign-in provider has left empty. */
const NONE = 'None';

export function Names() {
  const user = useUser();
  const { firstName, lastName, username, email } = user;
  const { isOn: isPrivate } = usePrivacy();
  const shown = isPrivate || fullName(user) === username ? `@${username}` : `${fullName(user)}, @${username}`;
  return (
    <Section title="Your names">
      <Card padding={20} gap={14}>
        <DotLeaders
          rows={[
            { label: 'First name', value: firstName || NONE },
            { label: 'Last name', value: lastName || NONE },
            { label: 'Username', value: `@${username}` },
            { label: 'Email', value: email },
          ]}
        />
        {/* A name may have no place to break. */}
        <div style={{ overflowWrap: 'anywhere' }}>
          <Note icon={AtSign}>
            Others see {shown}
            {isPrivate ? ', since privacy mode is on' : ''}. Your email address is not shown. Names come from
            where you sign in: change them there, then sign in again.
          </Note>
        </div>
      </Card>
    </Section>
  );
}

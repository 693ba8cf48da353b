/** Name, verification, total earnings and count of transactions. On home and on the profile. */
import Typography from '@mui/material/Typography';
import type { CurrentUser } from '#contracts/api/users';
import { Avatar } from '../../shared/ui/Avatar.js';
import { Card, DotLeaders, Row, Section } from '../../shared/ui/Layout.js';
import { Badge } from '../../shared/ui/StatusChip.js';
import { money } from '../../shared/wording/money.js';
import { fullName } from '../../shared/wording/people.js';
import { Private } from './Privacy.js';

interface ProfileSummaryProps {
  readonly user: CurrentUser;
  /** Another title on the page that is itself called Profile. */
  readonly title?: string;
}

export function ProfileSummary({ user, title = 'Profile' }: ProfileSummaryProps) {
  const name = fullName(user);
  return (
    <Section title={title}>
      <Card padding={20} gap={14}>
        <Row>
          <Avatar name={name} picture={user.profileImageUrl} size={52} />
          <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            <Typography style={{ fontSize: 16, fontWeight: 650 }}>{name}</Typography>
            <Typography variant="body2" color="textSecondary">
              @{user.username}
            </Typography>
          </div>
        </Row>
        <div style={{ marginTop: -2 }}>
          {user.isVerified ? (
            <Badge tone="verified" label="Verified Professional" />
          ) : (
            <Badge tone="quiet" label="Standard User" />
          )}
        </div>
        <DotLeaders
          rows={[
            { label: 'Total earnings', value: <Private>{money(user.totalEarnings)}</Private> },
            { label: 'Transactions', value: user.transactionCount.toLocaleString('en-US') },
          ]}
        />
      </Card>
    </Section>
  );
}

/** The panel of home: the balance, and the two actions with it. */
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { ArrowDownLeft, ArrowUpRight, ChevronRight, EyeOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Transaction } from '#contracts/api/payments';
import { usePrivacy } from '../account/privacy.js';
import { PayableBalance } from '../bank-accounts/PayableBalance.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { Header } from '../shell/Header.js';
import { isReceived } from '../transactions/transactions.js';
import { Balance } from '../../shared/ui/Amount.js';
import { Stage } from '../../shared/ui/Stage.js';
import { DESKTOP, MS, NARROW, touchRoom } from '../../shared/ui/theme.js';

const Inside = styled('div')(({ theme }) => ({
  boxSizing: 'border-box',
  maxWidth: 480,
  margin: '0 auto',
  padding: '12px 20px 24px',
  [NARROW]: { padding: '12px 16px 20px' },
  [DESKTOP]: { maxWidth: 'none', padding: 28 },
  '& .acts': { container: 'balance / inline-size' },
  '& .label': {
    display: 'flex',
    alignItems: 'center',
    gap: 4,
    height: 18,
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 600,
    color: theme.vars.palette.stage.on2,
    '& button': { margin: '-15px 0', color: theme.vars.palette.stage.on2 },
  },
  '& .figure': { margin: '4px 0 6px', minHeight: 48 },
  '& .owed': { margin: '0 0 4px', maxWidth: 360, color: theme.vars.palette.stage.on2 },
  '& .links': { display: 'flex', flexWrap: 'wrap', gap: '0 24px' },
  '& .links a': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 4,
    minHeight: 32,
    ...touchRoom(6),
    fontSize: 14,
    fontWeight: 600,
    color: 'inherit',
    textDecoration: 'none',
    borderRadius: 6,
    '&:hover': { textDecoration: 'underline', textUnderlineOffset: 3 },
  },
}));

const Acts = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: 10,
  marginTop: 24,
  // Beside each other while both fit, whatever spacing their reader has set.
  '& > a': {
    flex: '1 1 0',
    minWidth: 'max-content',
    padding: '0 8px',
    fontSize: 15,
    fontStretch: '100%',
    whiteSpace: 'nowrap',
  },
  '& .MuiButton-startIcon': { marginRight: 7 },
  '@container balance (max-width: 334.95px)': { '& .MuiButton-startIcon': { display: 'none' } },
  '@container balance (max-width: 299.95px)': { '& > a': { fontSize: 14, padding: '0 4px' } },
  [DESKTOP]: { maxWidth: 424, gap: 12 },
});

const Hidden = styled(ButtonBase)({ borderRadius: 10, font: 'inherit' });

/** True while the light answers money that came in. */
function useBrightening(arrived: readonly Transaction[]): boolean {
  const newest = arrived.find(isReceived)?.id;
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    if (newest === undefined) return undefined;
    const timer = setTimeout(() => setSettled(newest), MS.light);
    return () => clearTimeout(timer);
  }, [newest]);
  return newest !== undefined && newest !== settled;
}

interface BalanceStageProps {
  readonly balance: string;
  /** The amount that came in while the page was open. */
  readonly arrived: readonly Transaction[];
  /** The main act: whoever only pays sends. */
  readonly opensOn?: 'receiving' | 'sending';
}

const ARROW = { size: 19, strokeWidth: 2.1, 'aria-hidden': true } as const;

export function BalanceStage({ balance, arrived, opensOn = 'receiving' }: BalanceStageProps) {
  const receive = (
    <Button
      key="receive"
      component={Link}
      to={PATHS.myQr}
      variant={opensOn === 'receiving' ? 'tungsten' : 'stage'}
      startIcon={<ArrowDownLeft {...ARROW} />}
    >
      Receive Payment
    </Button>
  );
  const send = (
    <Button
      key="send"
      component={Link}
      to={PATHS.payments}
      variant={opensOn === 'sending' ? 'tungsten' : 'stage'}
      startIcon={<ArrowUpRight {...ARROW} />}
    >
      Send Payment
    </Button>
  );
  const privacy = usePrivacy();
  const isBright = useBrightening(arrived);
  const isOwed = balance.startsWith('-');
  return (
    <Stage full light="hero" lightOnDesktop="heroCard" event={isBright ? 'arrived' : undefined}>
      <Header />
      <Inside>
        <div className="label">
          {isOwed ? 'You owe' : 'Available balance'}
          {privacy.isOn && !privacy.isHidden && (
            <IconButton aria-label="Hide amounts" onClick={privacy.hide}>
              <EyeOff size={18} strokeWidth={1.75} aria-hidden="true" />
            </IconButton>
          )}
        </div>
        {/* The label says that it is a debt, so the amount has no sign. */}
        <div className="figure">
          {privacy.isHidden ? (
            <Hidden aria-label="Show amounts" onClick={privacy.show}>
              <Typography variant="display" component="span">
                $••••••
              </Typography>
            </Hidden>
          ) : (
            <Balance decimal={isOwed ? balance.slice(1) : balance} />
          )}
        </div>
        {isOwed && (
          <Typography variant="body2" className="owed">
            More was taken back than was there. It comes off what you receive next.
          </Typography>
        )}
        {!isOwed && <PayableBalance />}
        <div className="links">
          <Link to={PATHS.bankAccounts}>
            Manage Bank Accounts
            <ChevronRight size={17} strokeWidth={2} aria-hidden="true" />
          </Link>
          <Link to={`${PATHS.history}?account=available`}>
            Every entry
            <ChevronRight size={17} strokeWidth={2} aria-hidden="true" />
          </Link>
        </div>
        <div className="acts">
          <Acts>{opensOn === 'sending' ? [send, receive] : [receive, send]}</Acts>
        </div>
      </Inside>
    </Stage>
  );
}

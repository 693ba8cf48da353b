/**
 * The landing page, for visitors and while the session is unknown: what Encore does, and an example of it
 * arriving.
 */
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { keyframes, styled } from '@mui/material/styles';
import { CreditCard, EyeOff, Lock, ShieldCheck } from 'lucide-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { browser } from '../../shared/navigation/leaving.js';
import { Logo, LogoSign } from '../../shared/ui/Logo.js';
import { PageTitle } from '../../shared/ui/PageTitle.js';
import { Stage } from '../../shared/ui/Stage.js';
import { EASE, MS, NARROW, STILL } from '../../shared/ui/theme.js';

/** The text has room beside the picture: here is no navigation at the side. */
const BESIDE = '@media (min-width: 900px)';

const Hero = styled('div')(({ theme }) => ({
  boxSizing: 'border-box',
  maxWidth: 520,
  margin: '0 auto',
  padding: '0 20px 28px',
  '& header': { height: 56, display: 'flex', alignItems: 'center' },
  '& .sign': {
    height: 214,
    display: 'flex',
    alignItems: 'flex-end',
    gap: 16,
    '& > svg': { width: 136, height: 136, flex: 'none' },
  },
  '& h1': {
    fontSize: 36,
    lineHeight: '40px',
    fontStretch: '116%',
    letterSpacing: '-.026em',
    marginTop: 58,
    textWrap: 'wrap',
  },
  '& .tagline': { fontSize: 17, lineHeight: '25px', marginTop: 12, color: theme.vars.palette.stage.on2 },
  '& .tips': { marginTop: 12, maxWidth: 440, textWrap: 'balance' },
  '& .start': { marginTop: 24 },
  '& .note': { marginTop: 12, textAlign: 'center', color: theme.vars.palette.stage.on2 },
  [NARROW]: {
    padding: '0 16px 24px',
    '& h1': { fontSize: 30, lineHeight: '34px' },
    '& .sign > svg': { width: 112 },
  },
  [BESIDE]: {
    maxWidth: 1096,
    minHeight: 560,
    padding: '0 48px 64px',
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) 380px',
    gridTemplateRows: '88px 1fr',
    columnGap: 64,
    '& header': { gridColumn: '1 / -1', height: 88 },
    '& .words': { gridArea: '2 / 1', alignSelf: 'center', maxWidth: 520 },
    '& .sign': {
      gridArea: '2 / 2',
      height: 'auto',
      alignSelf: 'center',
      flexDirection: 'column',
      alignItems: 'center',
      gap: 24,
      '& > svg': { width: 200, height: 200 },
    },
    '& h1': { marginTop: 0, fontSize: 48, lineHeight: '52px' },
    '& .note': { textAlign: 'left' },
    '& .start': { maxWidth: 320 },
  },
}));

const rise = keyframes({ from: { opacity: 0, transform: 'translateY(12px)' } });
/** The page is read first; then the tip comes. */
const AFTER = '900ms';

/** As everywhere: the pool brightens as money arrives. */
const Lit = styled('div')({
  '& ellipse': { animationDelay: AFTER },
  // In the page as the server wrote it the tip has come already.
  '&.seen :is(ellipse, figure)': { animation: 'none' },
});

const Arrival = styled('figure')(({ theme }) => ({
  margin: 0,
  padding: '10px 14px',
  minWidth: 0,
  borderRadius: 14,
  backgroundColor: theme.vars.palette.background.paper,
  color: theme.vars.palette.text.primary,
  fontSize: 13,
  lineHeight: '18px',
  animation: `${rise} ${MS.panel}ms ${EASE} ${AFTER} backwards`,
  [STILL]: { animation: 'none' },
  '& strong': { display: 'block', fontSize: 20, lineHeight: '26px', color: theme.vars.palette.success.main },
  '& figcaption': { color: theme.vars.palette.text.secondary },
}));

const Below = styled('div')({
  boxSizing: 'border-box',
  maxWidth: 520,
  margin: '0 auto',
  padding: '20px 20px 40px',
  display: 'grid',
  gap: 20,
  [NARROW]: { padding: '16px 16px 32px' },
  [BESIDE]: { maxWidth: 1096, padding: '28px 48px 56px' },
});

const Badges = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  display: 'flex',
  flexWrap: 'wrap',
  gap: '6px 24px',
  justifyContent: 'center',
  fontSize: 13,
  fontWeight: 620,
  color: theme.vars.palette.text.secondary,
  '& li': { display: 'flex', gap: 6, alignItems: 'center' },
  [BESIDE]: { justifyContent: 'flex-start' },
}));

const Cards = styled('div')(({ theme }) => ({
  display: 'grid',
  '& > div': { display: 'flex', gap: 14, padding: '18px 16px' },
  '& > div + div': { borderTop: `1px solid ${theme.vars.palette.divider}` },
  '& svg': { color: theme.vars.palette.primary.main },
  [BESIDE]: {
    gridTemplateColumns: '1fr 1fr',
    '& > div + div': { borderTop: 0, borderLeft: `1px solid ${theme.vars.palette.divider}` },
  },
}));

const FEATURES = [
  { icon: CreditCard, title: 'Secure Payments', text: 'Process payments with industry-leading security' },
  { icon: EyeOff, title: 'Privacy First', text: 'Your data is protected with enterprise-grade encryption' },
] as const;

export default function LandingPage() {
  // The back button may restore this page from the cache, hours old.
  useEffect(() => {
    const look = (event: PageTransitionEvent) => event.persisted && window.location.reload();
    window.addEventListener('pageshow', look);
    return () => window.removeEventListener('pageshow', look);
  }, []);
  // What the server wrote for strangers, until this was there: web/src/app/written-landing-page.tsx.
  const [written] = useState(() => globalThis.document?.getElementById('written'));
  useLayoutEffect(() => written?.remove(), [written]);
  return (
    <main>
      <PageTitle title="Encore" />
      <Lit className={written ? 'seen' : undefined}>
        <Stage light="landing" lightOnDesktop="landingDesktop" full="always" event="arrived">
          <Hero>
            <header>
              <Logo />
            </header>
            <div className="sign">
              <LogoSign size={136} />
              <Arrival>
                <figcaption>Example</figcaption>
                <strong>+$10.00</strong>
                A tip from Wren, “for the encore”
              </Arrival>
            </div>
            <div className="words">
              <Typography variant="h1">Professional Payment Platform</Typography>
              <Typography className="tagline">
                Secure, professional payment processing for entertainment professionals
              </Typography>
              <Typography className="tips">
                Show one code. Your audience tips with any phone’s camera, and you see each tip arrive.
              </Typography>
              <div className="start">
                <Button variant="tungsten" fullWidth onClick={() => browser.goTo('/api/login')}>
                  Get Started
                </Button>
              </div>
              <Typography variant="body2" className="note">
                Secure authentication powered by professional-grade security
              </Typography>
            </div>
          </Hero>
        </Stage>
      </Lit>
      <Below>
        <Badges>
          <li>
            <Lock size={16} strokeWidth={2} aria-hidden="true" />
            SSL Encrypted
          </li>
          <li>
            <ShieldCheck size={16} strokeWidth={2} aria-hidden="true" />
            Bank Grade Security
          </li>
        </Badges>
        <Paper variant="card">
          <Cards>
            {FEATURES.map(({ icon: Icon, title, text }) => (
              <div key={title}>
                <Icon size={22} strokeWidth={1.75} aria-hidden="true" />
                <div>
                  <Typography variant="h3" component="h2">
                    {title}
                  </Typography>
                  <Typography variant="body2" color="textSecondary">
                    {text}
                  </Typography>
                </div>
              </div>
            ))}
          </Cards>
        </Paper>
      </Below>
    </main>
  );
}

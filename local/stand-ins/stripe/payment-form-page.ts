/**
 * The markup and style of the framed payment form. Colours, radius and type follow the page's `appearance`.
 */

export const PAYMENT_FORM_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment details</title>
<link rel="stylesheet" href="/v3/elements/payment.css">
<script type="module" src="/v3/elements/payment-form.js"></script>
</head>
<body>
<p id="failure" class="error" role="alert" hidden></p>
<form id="form" novalidate hidden>
  <fieldset id="methods" hidden>
    <legend>Payment method</legend>
    <label><input type="radio" name="method" value="card"> Card</label>
    <label><input type="radio" name="method" value="cashapp"> Cash App</label>
  </fieldset>
  <div id="card">
    <div class="field">
      <label for="number">Card number</label>
      <div class="box">
        <input id="number" type="text" inputmode="numeric" autocomplete="cc-number" placeholder="1234 1234 1234 1234" maxlength="24" aria-describedby="number-error brand">
        <span id="brand" aria-live="polite"></span>
      </div>
      <p id="number-error" class="error" role="alert" hidden></p>
    </div>
    <div class="pair">
      <div class="field">
        <label for="expiry">Expiration date</label>
        <input id="expiry" type="text" inputmode="numeric" autocomplete="cc-exp" placeholder="MM / YY" maxlength="9" aria-describedby="expiry-error">
        <p id="expiry-error" class="error" role="alert" hidden></p>
      </div>
      <div class="field">
        <label for="cvc">Security code</label>
        <input id="cvc" type="text" inputmode="numeric" autocomplete="cc-csc" placeholder="CVC" maxlength="3" aria-describedby="cvc-error">
        <p id="cvc-error" class="error" role="alert" hidden></p>
      </div>
    </div>
    <div class="field">
      <label for="postal">ZIP code</label>
      <input id="postal" type="text" inputmode="numeric" autocomplete="postal-code" placeholder="12345" maxlength="10" aria-describedby="postal-error">
      <p id="postal-error" class="error" role="alert" hidden></p>
    </div>
    <p class="hint">Test mode: 4242 4242 4242 4242, any future date, code and ZIP. No real card is charged.</p>
  </div>
  <p id="cashapp" hidden>After you confirm, you continue in Cash App to approve this payment.</p>
</form>
</body>
</html>
`;

export const PAYMENT_FORM_STYLE = `
:root {
  --primary: #0570de; --background: #ffffff; --text: #30313d; --text-secondary: #5f6472; --danger: #b3261e;
  --radius: 5px; --font-family: system-ui, sans-serif; --font-size: 16px; --unit: 4px;
  /* Also at night: a frame of another scheme than the frame element around it gets a ground of its own. */
  color-scheme: light;
}
:root[data-theme='night'] {
  --primary: #85d996; --background: #30313d; --text: #f5f6f8; --text-secondary: #b9bcc8; --danger: #fe87a1;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { margin: 0; background: transparent; }
/* Room for the focus ring, which the frame would cut off. */
body { padding: 5px; overflow: hidden; color: var(--text); font: var(--font-size)/1.4 var(--font-family); font-variant-numeric: tabular-nums lining-nums; }
fieldset { border: 0; margin: 0 0 calc(var(--unit) * 4); padding: 0; display: flex; gap: calc(var(--unit) * 4); }
legend { float: left; margin-right: calc(var(--unit) * 4); font-weight: 600; }
.field { margin-bottom: calc(var(--unit) * 3); }
.field > label { display: block; font-size: 13px; line-height: 18px; font-weight: 600; margin-bottom: 6px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: calc(var(--unit) * 3); }
.box { position: relative; }
input[type='text'] {
  width: 100%; min-height: 52px; padding: 0 14px; color: var(--text); background: var(--background); font: inherit; font-size: 16px;
  border: 1px solid color-mix(in srgb, var(--text) 48%, var(--background)); border-radius: var(--radius);
}
input::placeholder { color: var(--text-secondary); opacity: 1; }
input[type='text']:focus { outline: 2px solid var(--primary); outline-offset: 1px; }
input[type='radio'] { accent-color: var(--primary); }
input[aria-invalid='true'] { border: 2px solid var(--danger); padding: 0 13px; color: var(--danger); }
#brand { position: absolute; right: 14px; top: 50%; transform: translateY(-50%); font-size: 13px; font-weight: 600; color: var(--text-secondary); pointer-events: none; }
.error { margin: 6px 0 0; font-size: 13px; line-height: 18px; color: var(--danger); }
.hint { margin: 0; font-size: 13px; line-height: 18px; color: var(--text-secondary); }
#cashapp { margin: 0; }
form[inert] { opacity: .6; }
@media (max-width: 300px) { .pair { grid-template-columns: 1fr; gap: 0; } }
`;

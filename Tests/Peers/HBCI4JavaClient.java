// Visits a FinTS server with Debian's hbci4java, and prints what it fetched. Run as one file: java -cp JARS HBCI4JavaClient.java …

import java.io.File;
import java.text.SimpleDateFormat;
import java.util.Properties;
import org.kapott.hbci.GV.HBCIJob;
import org.kapott.hbci.GV_Result.GVRKUms;
import org.kapott.hbci.GV_Result.GVRSaldoReq;
import org.kapott.hbci.callback.AbstractHBCICallback;
import org.kapott.hbci.callback.HBCICallback;
import org.kapott.hbci.manager.HBCIHandler;
import org.kapott.hbci.manager.HBCIUtils;
import org.kapott.hbci.passport.AbstractHBCIPassport;
import org.kapott.hbci.passport.HBCIPassport;
import org.kapott.hbci.status.HBCIExecStatus;
import org.kapott.hbci.structures.Konto;

public class HBCI4JavaClient {
    private static class Answers extends AbstractHBCICallback {
        private final String port, blz, user, pin, tan;

        Answers(String port, String blz, String user, String pin, String tan) {
            this.port = port;
            this.blz = blz;
            this.user = user;
            this.pin = pin;
            this.tan = tan;
        }

        @Override
        public void callback(HBCIPassport passport, int reason, String words, int type, StringBuffer answer) {
            switch (reason) {
                case HBCICallback.NEED_PASSPHRASE_LOAD:
                case HBCICallback.NEED_PASSPHRASE_SAVE: answer.replace(0, answer.length(), "passport"); break;
                case HBCICallback.NEED_COUNTRY: answer.replace(0, answer.length(), "DE"); break;
                case HBCICallback.NEED_HOST: answer.replace(0, answer.length(), "localhost/fints"); break;
                case HBCICallback.NEED_PORT: answer.replace(0, answer.length(), port); break;
                case HBCICallback.NEED_FILTER: answer.replace(0, answer.length(), "Base64"); break;
                case HBCICallback.NEED_BLZ: answer.replace(0, answer.length(), blz); break;
                case HBCICallback.NEED_USERID:
                case HBCICallback.NEED_CUSTOMERID: answer.replace(0, answer.length(), user); break;
                case HBCICallback.NEED_PT_PIN: answer.replace(0, answer.length(), pin); break;
                case HBCICallback.NEED_PT_TAN:
                    System.out.println("challenge " + (answer.length() > 0 ? "flicker" : "tan"));
                    answer.replace(0, answer.length(), tan);
                    break;
                case HBCICallback.NEED_PT_SECMECH:
                    System.out.println("methods " + answer);
                    answer.replace(0, answer.length(), answer.toString().split(":")[0]);
                    break;
                case HBCICallback.NEED_PT_TANMEDIA:
                    answer.replace(0, answer.length(), answer.toString().split("\\|")[0]);
                    break;
                default: break;
            }
        }

        @Override
        public void log(String words, int level, java.util.Date date, StackTraceElement trace) {
            if (level <= HBCIUtils.LOG_WARN) System.out.println("log " + words);
        }

        @Override
        public void status(HBCIPassport passport, int tag, Object[] details) {}
    }

    public static void main(String[] given) throws Exception {
        String port = given[0], blz = given[1], user = given[2], pin = given[3], tan = given[4];
        HBCIUtils.init(new Properties(), new Answers(port, blz, user, pin, tan));
        File file = File.createTempFile("hbci4java", ".passport");
        file.delete();
        file.deleteOnExit();
        HBCIUtils.setParam("client.passport.default", "PinTan");
        HBCIUtils.setParam("client.passport.PinTan.init", "1");
        // The mock bank's certificate is of its own authority.
        HBCIUtils.setParam("client.passport.PinTan.checkcert", "0");
        HBCIUtils.setParam("log.loglevel.default", "2");
        HBCIPassport passport = AbstractHBCIPassport.getInstance(file);
        HBCIHandler handle = new HBCIHandler("300", passport);
        try {
            Konto[] accounts = passport.getAccounts();
            System.out.print("accounts");
            for (Konto account : accounts) System.out.print(" " + account.iban);
            System.out.println();
            SimpleDateFormat days = new SimpleDateFormat("yyyy-MM-dd");
            HBCIJob balance = handle.newJob("SaldoReq");
            balance.setParam("my", accounts[0]);
            balance.addToQueue();
            HBCIJob bookings = handle.newJob("KUmsAll");
            bookings.setParam("my", accounts[0]);
            bookings.setParam("startdate", days.parse(given[5]));
            bookings.setParam("enddate", days.parse(given[6]));
            bookings.addToQueue();
            HBCIExecStatus status = handle.execute();
            if (!status.isOK()) throw new IllegalStateException(status.getErrorString());
            GVRSaldoReq told = (GVRSaldoReq) balance.getJobResult();
            System.out.println("balance " + told.getEntries()[0].ready.value);
            System.out.println("bookings " + ((GVRKUms) bookings.getJobResult()).getFlatData().size());
        } finally {
            handle.close();
        }
        System.out.println("end");
    }
}

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Damaged AAF files for Apache POI, one after the other: `java Readers.java FOLDER`. Prints `name code`, as readers.py does. */
final class Readers {
    public static void main(String[] words) throws ReflectiveOperationException {
        Method read = Class.forName("Compound").getDeclaredMethod("read", String.class, String.class);
        read.setAccessible(true);
        File[] files = new File(words[0]).listFiles();
        Arrays.sort(files);
        for (File file : files) {
            String code = "0";
            try {
                read.invoke(null, file.getPath(), null);
            } catch (InvocationTargetException thrown) {
                Throwable cause = thrown.getCause();
                code = cause instanceof IOException || cause instanceof RuntimeException ? "1" : cause.getClass().getName();
            }
            System.out.println(file.getName() + " " + code);
        }
    }
}
